"""What an ending is played for: an integer that the declaring side wants large and the other side small."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """A value of finished games, made from their returns in a reward unit.

    It is (the declarer's return + `others` times the sum of the other side's returns + `offset`) / `divisor`.
    """

    name: str
    """The name, as the objectives of PIMC have it."""
    unit: str
    """The reward unit."""
    others: int = 0
    offset: int = 0
    divisor: int = 1

    def factors(self, state: Any, seats: int) -> list[int]:
        """What each seat's return is multiplied by, before offset and divisor."""
        return [1 if seat == state.declarer else self.others * state.side(seat) for seat in range(seats)]


Outcomes = Callable[[Any], Mapping[str, Outcome]]
"""The part `endings` of a game: (state in the cardplay) -> the outcomes by name, the first the default."""
