"""A saved MaskablePPO model: the zip of stable-baselines3, and beside it a card that says what it is for.

Only tensors are read from the zip, never its pickled settings: the card has the settings that are needed.
"""

import dataclasses
import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import gymnasium
import msgspec
import numpy as np

from skat_env.agents.networks.network import Width, Widths
from skat_env.agents.networks.sparse_linear import SparseLinear
from skat_env.errors import ParseError
from skat_env.features import total_width
from skat_env.protocols import Game
from skat_env.tools.files import write_bytes, write_text
from skat_env.tools.parsing import parse_json

try:
    import torch
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
    from stable_baselines3.common.save_util import load_from_zip_file
except ImportError:
    raise ImportError(
        "models of stable-baselines3 need it and sb3-contrib: pip install '.[learn]' in the checkout of skat_env"
    ) from None

Activation = Literal["relu", "tanh"]
ACTIVATIONS: dict[str, type[torch.nn.Module]] = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}
CHECKPOINTS = "checkpoints"
"""The folder of a training run with its models; their names sort by age."""
ENCODER = "environment"
"""The name of the observation that models take, that of the environments."""


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What a model is for, and how its network is built."""

    game: str
    features: Width
    """Width of the observation."""
    actions: Width
    start: str
    """The stage of the game from which on it was trained."""
    layers: Widths
    """Widths of the hidden layers, the same for policy and value."""
    scale: Annotated[float, msgspec.Meta(gt=0, le=1e9)]
    """Factor from game units to the rewards that it was trained on."""
    steps: Annotated[int, msgspec.Meta(ge=0)]
    """Environment steps of the training so far."""
    encoder: str = ENCODER
    activation: Activation = "relu"
    """The units of the hidden layers."""
    config: dict[str, Any] = field(default_factory=dict)
    """The other settings of the training; `reward` is the unit of rewards, None or nothing the game's first."""

    @classmethod
    def of(cls, game: Game, **rest: Any) -> "ModelCard":
        """The card of a model for a game in its present encoding."""
        return cls(game.name, total_width(game.features), len(game.actions), **rest)


def policy_options(layers: tuple[int, ...], activation: str = "relu") -> dict[str, Any]:
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


def card_path(path: Path) -> Path:
    """Where the card of a model is."""
    return path.with_suffix(".json")


def newest_model(path: Path) -> Path:
    """The path itself, or the newest model of a training run's folder.

    Raises:
        ParseError: if there is no model.
    """
    if path.is_dir():
        models = sorted((path / CHECKPOINTS).glob("*.zip"))
        if not models:
            raise ParseError(f"{path} is not the folder of a training run: it has no {CHECKPOINTS}/*.zip")
        return models[-1]
    if not path.is_file():
        raise ParseError(f"there is no model {path}: expected the zip of a MaskablePPO, or a run's folder")
    return path


def read_card(path: Path) -> ModelCard:
    """The card of a model.

    Raises:
        ParseError: if it is missing or not one.
    """
    card = card_path(path)
    try:
        fields = parse_json(card.read_bytes())
        found = msgspec.convert(fields, ModelCard)
        if unknown := sorted(fields.keys() - dataclasses.asdict(found).keys()):
            raise ValueError(f"it has the unknown field '{unknown[0]}'")
        return found
    except FileNotFoundError:
        raise ParseError(f"the model {path} has no card {card.name} beside it") from None
    except ValueError as error:
        raise ParseError(f"{card} is not the card of a model: {error}") from None


def guessed_card(path: Path, game: Game, start: str) -> ModelCard:
    """The card of a model that has none: what its tensors say, and its settings where they are text.

    Args:
        path: the zip.
        game: the game that it is to play.
        start: the stage of the game from which on it was trained.

    Raises:
        ParseError: if it is not the zip of a MaskablePPO with MlpPolicy, with as many units for policy as for value.
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
    with zipfile.ZipFile(path) as archive:
        settings = archive.read("data").decode(errors="replace") if "data" in archive.namelist() else ""
    activation: Activation = "relu" if "activation.ReLU" in settings else "tanh"  # which is MlpPolicy's own
    widths = tuple(layers["policy_net"])
    return ModelCard(game.name, first.shape[1], len(last), start, widths, 1.0, 0, activation=activation)


def check_card(card: ModelCard, path: Path, game: Game) -> None:
    """Refuses a model that is not for a game in its present encoding.

    Raises:
        ParseError: if it is for another game, another observation, or rewards that the game does not have.
    """
    if card.game != game.name:
        raise ParseError(f"the model {path} plays {card.game}, not {game.name}")
    width = total_width(game.features)
    if (card.encoder, card.features, card.actions) != (ENCODER, width, len(game.actions)):
        raise ParseError(
            f"the model {path} takes {card.features} features '{card.encoder}' for {card.actions} actions; "
            f"{game.name} has {width} features '{ENCODER}' and {len(game.actions)} actions: train it again"
        )
    if (reward := card.config.get("reward")) not in (None, *game.reward_units):
        raise ParseError(
            f"the model {path} was trained on rewards in {reward!r}: expected one of {', '.join(game.reward_units)}"
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
    except (ValueError, RuntimeError, OSError, EOFError) as error:
        raise ParseError(f"{path} is not a whole model of stable-baselines3: {error}") from None
    raise ParseError(f"{path} is not a model of stable-baselines3: it has no policy")


def load_policy(path: Path, card: ModelCard) -> MaskableActorCriticPolicy:
    """The network of a model, built by its card.

    Raises:
        ParseError: if the file is not a model, or not the one that the card describes.
    """
    policy = MaskableActorCriticPolicy(
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
        raise ParseError(f"the tensors of {path} are not those of its card {card_path(path).name}") from None
    for name, tensor in tensors.items():
        if not tensor.isfinite().all():
            raise ParseError(f"{path}: tensor '{name}' has numbers that are not finite: train it again")
    policy.set_training_mode(False)
    read_sparsely(policy)
    return policy
