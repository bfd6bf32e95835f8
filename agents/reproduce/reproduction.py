"""What a table or figure of a paper is reproduced from, how large, and by what."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, get_args

from agents.inference_quality.games import Part
from agents.reproduce.bench import Bench
from agents.reproduce.row import Row
from skat_env.errors import UnknownName
from skat_env.registry import make_agent, make_belief, make_evaluator
from skat_env.tools.extras import explained

Scale = Literal["smoke", "small", "paper"]
SCALES: Final[tuple[Scale, ...]] = ("smoke", "small", "paper")


@dataclass(frozen=True, slots=True)
class Size:
    """How large a reproduction is at a scale."""

    deals: int
    """Of each match, and of each kind of game; games or decisions where nothing is played."""
    minutes: float
    """On two cores."""
    effort: tuple[int, ...] = ()
    """Worlds, or simulations, of the searches for a move, where that is a matter of scale."""
    measured: bool = False
    """Whether the minutes are measured; else they are estimated from the time of a game."""


@dataclass(frozen=True, slots=True)
class Model:
    """Something with a name in the paper that we have by another."""

    kind: Literal["agent", "belief", "checkpoint", "evaluator", "part", "path"]
    spec: str | None = None
    """Its text for the registry, or a path; None: it has to be given."""
    about: str = ""
    """What has to be given."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A table or figure of a paper."""

    name: str
    title: str
    """Paper and table or figure."""
    about: str
    """What is measured, in a sentence or two."""
    columns: tuple[str, ...]
    """What the cells of the rows' labels are."""
    sizes: Mapping[Scale, Size]
    rows: Callable[[Bench], list[Row]]
    """Plays or measures what is missing and gives the rows, with the paper's numbers."""
    unit: str = ""
    """Of the curves, if there are any."""
    game: str = "skat"
    models: Mapping[str, Model] = field(default_factory=dict)
    """What it needs, by the paper's names."""
    notes: tuple[str, ...] = ()
    """What of the paper does not agree with itself, and where we differ."""

    def chosen_models(self, given: Mapping[str, str]) -> dict[str, str]:
        """The text of each model, given or ours, after each has been made once.

        Raises:
            UnknownName: if there is no model of a given name.
            ValueError: if one is missing or cannot be made; names it.
        """
        for name in given:
            if name not in self.models:
                raise UnknownName(f"model of {self.name}", name, self.models)
        chosen = {}
        for name, model in self.models.items():
            spec = given.get(name, model.spec)
            if spec is None:
                raise ValueError(f"{self.name} needs --set {name}=...: {model.about}")
            try:
                _make(model.kind, spec, self.game)
            except (ValueError, OSError, ImportError) as error:
                told = explained(error) if isinstance(error, ImportError) else error
                raise ValueError(f"{self.name} needs {name} = {spec}: {told}") from None
            chosen[name] = spec
        return chosen


def _make(kind: str, spec: str, game: str) -> None:
    """Makes a model, to see whether it can be."""
    if kind == "path":
        Path(spec).stat()
    elif kind == "part":
        if spec not in get_args(Part):
            raise UnknownName("part", spec, get_args(Part))
    elif kind == "agent":
        make_agent(spec, game)
    elif kind == "belief":
        make_belief(spec, game)
    elif kind == "checkpoint":
        from agents.networks.checkpoint import load_checkpoint

        load_checkpoint(spec, game)
    else:
        make_evaluator(spec, game)
