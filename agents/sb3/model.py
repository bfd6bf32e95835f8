"""A saved MaskablePPO model: the zip of stable-baselines3, and its card.

Only tensors are read from the zip, never its pickled settings: the card has the settings that are needed.
"""

import dataclasses
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

from skat_env.agents.learners.networks.sparse_linear import SparseLinear
from skat_env.agents.sb3.card import Activation, ModelCard, card_path
from skat_env.errors import NotFinite, ParseError
from skat_env.protocols import Game
from skat_env.tools.files import write_bytes, write_text
from skat_env.tools.parsing import parse_json

try:
    import torch
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.save_util import load_from_zip_file
    from stable_baselines3.common.torch_layers import FlattenExtractor
except ImportError:
    raise ImportError(
        "models of stable-baselines3 need it and sb3-contrib: pip install '.[learn]' in the checkout of skat_env"
    ) from None

ACTIVATIONS: dict[Activation, type[torch.nn.Module]] = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}


def policy_options(layers: tuple[int, ...], activation: Activation = "relu") -> dict[str, Any]:
    """The `policy_kwargs` of MaskablePPO for some hidden layers."""
    return {"net_arch": {"pi": list(layers), "vf": list(layers)}, "activation_fn": ACTIVATIONS[activation]}


def read_sparsely(policy: MaskableActorCriticPolicy) -> None:
    """Has the first layers of a policy multiply only the inputs that are not 0: faster on few threads of a processor.

    The parameters stay the same objects, so an optimizer and saved models do not notice.
    """
    for net in (policy.mlp_extractor.policy_net, policy.mlp_extractor.value_net):
        net[0] = SparseLinear.of(net[0])


def save_model(model: MaskablePPO, path: Path, card: ModelCard) -> None:
    """Writes a model and its card, each whole or not at all, the card first: a zip always has one."""
    write_text(card_path(path), json.dumps(dataclasses.asdict(card), indent=2) + "\n")
    buffer = io.BytesIO()
    model.save(buffer)
    write_bytes(path, buffer.getvalue())


def guessed_card(path: Path, game: Game, start: str) -> ModelCard:
    """The card of a model that has none: what its tensors say, and its settings where they are text.

    Args:
        path: the zip.
        game: the game that it is to play.
        start: the stage of the game from which on it was trained.

    Raises:
        ParseError: if it is not the zip of a MaskablePPO with MlpPolicy, with as many units for policy as for value,
            or if no card could describe its policy.
    """
    tensors = read_parameters(path)["policy"]
    layers: dict[str, list[int]] = {"policy_net": [], "value_net": []}
    for net, found in layers.items():
        while (weight := tensors.get(f"mlp_extractor.{net}.{2 * len(found)}.weight")) is not None:
            found.append(len(weight))
    first, last = tensors.get("mlp_extractor.policy_net.0.weight"), tensors.get("action_net.weight")
    if first is None or last is None or layers["policy_net"] != layers["value_net"]:
        raise ParseError(
            f"the model {path} has no card beside it, and its layers are not those of MlpPolicy with as many units for "
            "the policy as for the value"
        )
    widths = tuple(layers["policy_net"])
    return ModelCard(
        game.name, first.shape[1], len(last), start, widths, 1.0, 0, activation=_saved_activation(path)
    )


def _saved_activation(path: Path) -> Activation:
    """The units of the hidden layers of a model without a card, from its settings, as they leave no tensors.

    Raises:
        ParseError: if the settings are damaged, or name other units or another extractor of features than a card can.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            settings = parse_json(archive.read("data")) if "data" in archive.namelist() else {}
        options = settings.get("policy_kwargs", {})
        units = options.get("activation_fn", str(torch.nn.Tanh))  # MlpPolicy's own
        extractor = options.get("features_extractor_class", str(FlattenExtractor))
    except (ValueError, AttributeError, zipfile.BadZipFile) as error:
        raise ParseError(f"{path} is not a whole model of stable-baselines3: {error}") from None
    for name, kind in ACTIVATIONS.items():
        if (units, extractor) == (str(kind), str(FlattenExtractor)):
            return name
    raise ParseError(
        f"the model {path} has no card beside it, and its policy has {units} and {extractor}: expected Tanh or ReLU, "
        "and FlattenExtractor"
    )


def read_parameters(path: Path) -> dict[str, Any]:
    """The state dictionaries of a model's modules.

    Raises:
        ParseError: if the file is not the zip of a model, or cut short.
    """
    try:
        _, parameters, _ = load_from_zip_file(path, device="cpu", load_data=False)
        if "policy" in parameters:
            return parameters
    except Exception as error:  # torch reads damaged tensors until anything fails
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ParseError(f"{path} is not a whole model of stable-baselines3: {reason}") from None
    raise ParseError(f"{path} is not a model of stable-baselines3: it has no policy")


class SavedModel:
    """The network of a model, built by its card.

    Args:
        path: the zip.
        card: the model's card.

    Raises:
        ParseError: if the file is not a model, or not the one that the card describes.
    """

    def __init__(self, path: Path, card: ModelCard) -> None:
        self._path = path
        self._policy = policy = MaskableActorCriticPolicy(
            gymnasium.spaces.Box(0, 1, (card.features,), np.int8),
            gymnasium.spaces.Discrete(card.actions),
            lambda _: 0.0,
            **policy_options(card.layers, card.activation),
            ortho_init=False,  # slow, and the weights are read next
        )
        try:
            tensors = read_parameters(path)["policy"]
            policy.load_state_dict(tensors)
        except RuntimeError:
            raise ParseError(
                f"the tensors of {path} are not those of its card {card_path(path).name}"
            ) from None
        for name, tensor in tensors.items():
            if not tensor.isfinite().all():
                raise ParseError(f"{path}: tensor '{name}' has numbers that are not finite: train it again")
        policy.set_training_mode(False)
        read_sparsely(policy)

    def evaluate(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Probabilities float32 [n, actions], 0 for illegal actions, and values float32 [n] in rewards.

        Args:
            observation: int8 [n, features].
            action_mask: int8 [n, actions].

        Raises:
            NotFinite: if an output is not finite.
        """
        policy = self._policy
        with torch.no_grad():
            actor, critic = policy.mlp_extractor(torch.from_numpy(observation).float())
            logits, values = policy.action_net(actor), policy.value_net(critic).squeeze(1)
            for outputs in (logits, values[:, None]):
                for row, column in (~outputs.isfinite()).nonzero().tolist():
                    raise NotFinite(f"the model {self._path}", outputs[row, column].item(), row)
            logits = logits.masked_fill(torch.from_numpy(action_mask) == 0, -torch.inf)
            weights: NDArray[np.float32] = torch.softmax(logits, dim=1).numpy()
        return weights, values.numpy()
