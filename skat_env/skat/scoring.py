"""The result of a finished game of Skat, in all reward units."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from skat_env.protocols import Limits
from skat_env.skat.rules import BID_VALUES, CONTRACT_LETTERS, NUM_SEATS, Contract


class RewardUnit(IntEnum):
    """The units of `returns`: one integer per seat, all 0 if everybody passed."""

    TOURNAMENT_POINTS = 0
    """Seeger-Fabian at a table of three. Won: soloist value + 50. Lost: soloist -2 value - 50, defenders 40 each."""
    LIST_SCORE = 1
    """Soloist: value or -2 value; defenders: 0."""
    WIN = 2
    """+1 for the side that won, -1 for the other."""
    CARD_POINTS = 3
    """The card points 0..120 of the seat's side; the skat counts for the soloist."""


REWARD_UNITS: Final = tuple(unit.name.lower() for unit in RewardUnit)

LIMITS: Final = Limits(
    actions=2 * len(BID_VALUES) + NUM_SEATS + 5 + 3 * 10,
    returns={
        "tournament_points": (-2 * 270 - 50, 264 + 50),
        "list_score": (-2 * 270, 264),
        "win": (-1, 1),
        "card_points": (0, 120),
    },
)
"""Every value is bid and held, everybody passes; 5 actions declare and discard. A grand ouvert with four is worth 264,
and an overbid suit game at most 270, the first multiple of 9 and of 10 from 264 on."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """The facts of a finished game of Skat."""

    declarer: int
    """The soloist's seat; -1 if everybody passed: then all other fields are 0 or empty."""
    contract: str
    """The declaration in ISS text: `C`, `GH`, `CHS`, `NO`."""
    bid: int
    """The last bid, in points."""
    won: bool
    value: int
    """The game value, positive; for an overbid suit game or grand, the smallest multiple of the base value that reaches
    the bid.
    """
    list_score: int
    """The soloist's list score: value or -2 value."""
    card_points: int
    """The soloist's card points, skat included."""
    tricks: int
    """The soloist's tricks."""
    matadors: int
    """The matadors: positive with, negative without; 0 in null games."""
    schneider: bool
    """Whether one side has 30 card points or fewer (not in null games)."""
    schwarz: bool
    """Whether one side has taken all ten tricks (not in null games)."""
    overbid: bool
    tournament_points: tuple[int, ...]
    """The tournament points, by seat."""

    @property
    def labels(self) -> dict[str, str]:
        """The labels that games are counted by: the game, from diamonds to null ouvert, and whether it was won."""
        if self.declarer < 0:
            return {"game": "passed"}
        contract = Contract(CONTRACT_LETTERS.index(self.contract[0]))
        ouvert = contract == Contract.NULL and "O" in self.contract
        game = contract.name.lower() + (" ouvert" if ouvert else "")
        return {"game": game, "result": "won" if self.won else "lost"}
