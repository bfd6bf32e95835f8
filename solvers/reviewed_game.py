"""What a game has to give so that `skat-env review` knows it: its open-card values, and the words for them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol


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
    """Heads the column of values."""
    unit: str
    """Of costs; empty: a value is no amount, but an answer."""
    declarers_want_more: bool = True


class ReviewedGame(Protocol):
    """A game's open-card values and texts. States are those of the game, in cardplay; sides as in `State.side`."""

    name: str
    """As in `get_game`."""
    sides: tuple[str, str]
    """The declaring side and the other."""
    others: tuple[str, ...]
    """The places of a deal besides the hands."""

    def solver(self) -> Any:
        """A new solver."""

    def outlooks(self, solver: Any, positions: Sequence[Any], threads: int) -> list[Outlook]:
        """The exact outlook of each position of one game."""

    def aim(self, state: Any) -> Any:
        """What the solver is asked to know whether the declaring side wins; None: it cannot."""

    def scale(self, state: Any) -> Scale:
        """What the values are."""

    def facts(self, state: Any) -> dict[str, Any]:
        """What was declared, by key, as JSON has it."""

    def head(self, state: Any) -> Iterator[str]:
        """What was declared and what it takes to win, for people."""

    def hand_text(self, state: Any, mask: int) -> str:
        """Cards in suit symbols, as they are held."""

    def value_text(self, state: Any, value: int) -> str:
        """A value alone."""

    def outcome_text(self, state: Any, prospect: Prospect) -> str:
        """How the game ends: `the soloist wins with 61 card points`."""

    def result_text(self, state: Any, claim: bool | None) -> str:
        """How it ended by the rules: `the soloist won with 61 card points, value 48`."""
