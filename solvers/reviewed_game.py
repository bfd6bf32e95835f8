"""What a game gives so that it can be reviewed: its open-card values, and the words for them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

from skat_env.protocols import State
from skat_env.solvers.protocols import OpenCardSolver
from skat_env.solvers.question import OpenCardQuestion

S = TypeVar("S", bound=State)
Q = TypeVar("Q", bound=OpenCardQuestion)


class Prospect(NamedTuple):
    """What perfect play with open cards comes to."""

    value: int
    """The declaring side's at the end of the game."""
    wins: bool
    """Whether the declaring side wins."""


class Outlook(NamedTuple):
    """What perfect play comes to in a position and after each of its legal cards."""

    now: Prospect
    actions: Mapping[int, Prospect]


@dataclass(frozen=True, slots=True)
class Scale:
    """What the values of a game are."""

    title: str
    """The heading of the column of values."""
    unit: str
    """The unit of costs; empty: a value is an answer, not an amount."""
    declarers_want_more: bool = True


class ReviewedGame(Protocol[S, Q]):
    """A game's open-card values and texts, its part `review`. States are in cardplay; sides as in `State.side`."""

    sides: tuple[str, str]
    """The declaring side and the other."""
    others: tuple[str, ...]
    """The places of a deal that are no hands."""

    def solver(self) -> OpenCardSolver[S, Q]:
        """A new solver."""

    def outlooks(self, solver: OpenCardSolver[S, Q], positions: Sequence[S], threads: int) -> list[Outlook]:
        """The exact outlook of each position of one game."""

    def scale(self, state: S) -> Scale:
        """What the values are."""

    def facts(self, state: S) -> dict[str, Any]:
        """What was declared, by key, as JSON has it."""

    def head(self, state: S) -> Iterator[str]:
        """What was declared and what it takes to win, for people."""

    def hand_text(self, state: S, mask: int) -> str:
        """Cards in suit symbols, in the order in which people hold them."""

    def value_text(self, state: S, value: int) -> str:
        """A value alone."""

    def outcome_text(self, state: S, prospect: Prospect) -> str:
        """How the game ends with perfect play: `the soloist wins with 61 card points`."""

    def result_text(self, state: S, claim: bool | None) -> str:
        """How the game ended by the rules: `the soloist won with 61 card points, value 48`."""
