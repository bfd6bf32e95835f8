"""The definition of a reproduction: its sizes, its models, and the function that makes its rows."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, get_args

from skat_env.agents.inference_quality.games import Part
from skat_env.agents.reproduce.bench import Bench
from skat_env.agents.reproduce.row import Row
from skat_env.errors import UnknownName
from skat_env.registry import make_agent, make_belief, make_evaluator
from skat_env.tools.extras import explained

Scale = Literal["smoke", "small", "paper"]
SCALES: Final[tuple[Scale, ...]] = ("smoke", "small", "paper")


@dataclass(frozen=True, slots=True)
class Size:
    """The size of a reproduction at one scale."""

    deals: int
    """Deals of each match, or of each kind of game; if nothing is played, games or decisions."""
    minutes: float
    """The time on two cores."""
    effort: tuple[int, ...] = ()
    """Worlds or simulations per move of the searches, if they depend on the scale."""
    measured: bool = False
    """Whether the minutes are measured, and not estimated from the time of a game."""


@dataclass(frozen=True, slots=True)
class Model:
    """Our counterpart of an agent, belief or network that the paper names."""

    kind: Literal["agent", "belief", "checkpoint", "evaluator", "part", "path"]
    spec: str | None = None
    """Its registry text, or a path; None: the user must give one."""
    about: str = ""
    """A description of what the user must give."""


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A table or figure of a paper."""

    name: str
    title: str
    """The paper, and its table or figure."""
    about: str
    """The measurement in a sentence or two."""
    columns: tuple[str, ...]
    """The names of the columns for the rows' labels."""
    sizes: Mapping[Scale, Size]
    rows: Callable[[Bench], list[Row]]
    """Plays or measures what is missing, and returns the rows with the paper's numbers."""
    unit: str = ""
    """The unit of the curves, if there are any."""
    game: str = "skat"
    models: Mapping[str, Model] = field(default_factory=dict)
    """The models that it needs, by the paper's names."""
    notes: tuple[str, ...] = ()
    """Inconsistencies in the paper, and differences between the paper and us."""

    @property
    def draws_deals(self) -> bool:
        """Whether it plays random deals, so that a source can take their place."""
        return "data" not in self.models and any(size.deals for size in self.sizes.values())

    def chosen_models(self, given: Mapping[str, str]) -> dict[str, str]:
        """The text of each model, given or our own, after a check that each can be made.

        Raises:
            UnknownName: if a given name is not a model of this reproduction.
            ValueError: if a model is missing or cannot be made.
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
                reason = explained(error) if isinstance(error, ImportError) else error
                raise ValueError(f"{self.name} needs {name} = {spec}: {reason}") from None
            chosen[name] = spec
        return chosen


def _make(kind: str, spec: str, game: str) -> None:
    """Makes a model once; raises what making it raises."""
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
        from skat_env.agents.networks.checkpoint import load_checkpoint

        load_checkpoint(spec, game)
    else:
        make_evaluator(spec, game)
