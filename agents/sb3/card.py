"""What is beside a saved model of stable-baselines3: a card that says what it is for, and how its network is built."""

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from skat_env.agents.networks.network import Width, Widths
from skat_env.errors import ParseError
from skat_env.features import total_width
from skat_env.protocols import Game
from skat_env.tools.parsing import parse_json

Activation = Literal["relu", "tanh"]
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


def check_card(card: ModelCard, path: Path, game: Game) -> None:
    """Refuses a model that is not for a game in its present encoding.

    Raises:
        ParseError: if it is for another game, another observation, or rewards that the game does not have.
    """
    if card.game != game.name:
        raise ParseError(f"the model {path} plays {card.game}, not {game.name}")
    width = total_width(game.features)
    if card.features == width + len(game.actions):
        raise ParseError(
            f"the model {path} takes {card.features} features, which is the observation with its mask: train it on "
            "Sb3VecEnv, or on the key 'observation' alone"
        )
    if (card.encoder, card.features, card.actions) != (ENCODER, width, len(game.actions)):
        raise ParseError(
            f"the model {path} takes {card.features} features '{card.encoder}' for {card.actions} actions; "
            f"{game.name} has {width} features '{ENCODER}' and {len(game.actions)} actions: train it again"
        )
    if (reward := card.config.get("reward")) not in (None, *game.reward_units):
        raise ParseError(
            f"the model {path} was trained on rewards in {reward!r}: expected one of {', '.join(game.reward_units)}"
        )
