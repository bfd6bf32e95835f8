"""The result of a finished deal of Klaverjas, in all reward units."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from skat_env.cards import SUIT_NAMES, SUITS
from skat_env.klaverjas.rules import ALL_POINTS, FOUR_OF_A_KIND, PIT
from skat_env.protocols import Limits


class RewardUnit(IntEnum):
    """The units of `returns`: one integer per seat, the same for partners."""

    DIFFERENCE = 0
    """The score of the seat's team minus the other team's: the value of the deal."""
    SCORE = 1
    """The score of the seat's team."""
    MADE = 2
    """+1 for the declaring team if it made the game, for the other team if it did not; else -1."""


REWARD_UNITS: Final = tuple(unit.name.lower() for unit in RewardUnit)

MOST: Final = ALL_POINTS + PIT + 2 * FOUR_OF_A_KIND + 7 * FOUR_OF_A_KIND
LIMITS: Final = Limits(
    actions=4 + 1 + 32,
    returns={"difference": (-MOST, MOST), "score": (0, MOST), "made": (-1, 1)},
)
"""Four pass, one names trumps. All points and a pit, four jacks in one trick, and four of a kind in every other: no
trick has more."""


@dataclass(frozen=True, slots=True)
class DealResult:
    """The facts of a finished deal of Klaverjas. Pairs are by team: seats 0 and 2, seats 1 and 3."""

    declarer: int
    """The seat that chose trumps."""
    trump: str
    """The trump suit: one of D, H, S, C."""
    made: bool
    """Whether the declaring team has more points than the other; if not, it is nat."""
    pit: bool
    """Whether a team has won all tricks and gets 100 for it."""
    card_points: tuple[int, int]
    """The card points by team, with 10 for the last trick; 162 in all."""
    roem: tuple[int, int]
    tricks: tuple[int, int]
    scores: tuple[int, int]
    """The scores of the teams."""

    @property
    def difference(self) -> int:
        """The first team's score minus the second's."""
        return self.scores[0] - self.scores[1]

    @property
    def labels(self) -> dict[str, str]:
        """The labels that deals are counted by: the trumps, and the declaring team's result."""
        made = "pit" if self.pit else "made"
        return {"trumps": SUIT_NAMES[SUITS.index(self.trump)], "result": made if self.made else "nat"}


def returns_of(difference: int) -> tuple[int, int, int, int]:
    """The difference of the teams' scores as seen from every seat."""
    return (difference, -difference, difference, -difference)
