"""What a finished game of Skat was worth, in every unit that the library reports."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from skat_env.skat.rules import CONTRACT_LETTERS, Contract


class RewardUnit(IntEnum):
    """The units of `returns`; one integer a seat, all 0 when everybody passed."""

    TOURNAMENT_POINTS = 0
    """Seeger-Fabian, three at the table: won: soloist value + 50; lost: soloist -2 value - 50, defenders 40 each."""
    LIST_SCORE = 1
    """Soloist + value or -2 value, defenders 0."""
    WIN = 2
    """+1 for the side that won, -1 for the other."""
    CARD_POINTS = 3
    """The card points 0..120 of the seat's side, the skat counted for the soloist."""


REWARD_UNITS: Final = tuple(unit.name.lower() for unit in RewardUnit)


@dataclass(frozen=True, slots=True)
class GameResult:
    """The facts of a finished game of Skat."""

    declarer: int
    """The soloist's seat; -1: everybody passed, and all that follows is 0 or empty."""
    contract: str
    """The declaration in ISS text: `C`, `GH`, `CHS`, `NO`."""
    bid: int
    """The last bid, in points."""
    won: bool
    value: int
    """Game value, positive; of an overbid game the smallest multiple of the base value that reaches the bid."""
    list_score: int
    """+ value, or -2 value."""
    card_points: int
    """The soloist's, skat included."""
    tricks: int
    """The soloist's."""
    matadors: int
    """With: positive, without: negative; null games: 0."""
    schneider: bool
    """One side has 30 card points or fewer (not in null games)."""
    schwarz: bool
    """One side has taken all ten tricks (not in null games)."""
    overbid: bool
    tournament_points: tuple[int, ...]
    """By seat."""

    @property
    def labels(self) -> dict[str, str]:
        """What counts of games tell apart: `game` from diamonds to null ouvert, and whether it was won."""
        if self.declarer < 0:
            return {"game": "passed"}
        contract = Contract(CONTRACT_LETTERS.index(self.contract[0]))
        ouvert = contract == Contract.NULL and "O" in self.contract
        game = contract.name.lower() + (" ouvert" if ouvert else "")
        return {"game": game, "result": "won" if self.won else "lost"}
