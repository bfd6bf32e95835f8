"""What an open-card solver answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Bounds(NamedTuple):
    """The value is at least `lower` and at most `upper`."""

    lower: int
    upper: int

    @property
    def value(self) -> int | None:
        """The value, if the bounds meet."""
        return self.lower if self.lower == self.upper else None

    def reaches(self, target: int) -> bool | None:
        """Whether the value reaches a target; None if the bounds leave it open."""
        if self.lower >= target:
            return True
        return False if self.upper < target else None


@dataclass(frozen=True, slots=True)
class Solution:
    """The result of perfect play with open cards; values are the declaring side's at the end of the game."""

    bounds: Bounds
    exact: bool
    """Whether all that was asked is proven. If not, a limit was reached: the bounds hold, but may be wide."""
    actions: Mapping[int, Bounds] = field(default_factory=dict)
    """The bounds after each legal action, if asked for."""
    best: int | None = None
    """An action that keeps the value, or the answer to a decision; None: not asked for, or a limit was reached."""
    line: tuple[int, ...] = ()
    """Best play from here to the end, if asked for. After a decision the loser's play need not be the closest game."""
    nodes: int = 0
    """Positions between tricks that were looked up in the tables."""

    @property
    def value(self) -> int | None:
        """The value, if the bounds meet."""
        return self.bounds.value

    def reaches(self, target: int) -> bool | None:
        """Whether the value reaches a target; None if the bounds leave it open."""
        return self.bounds.reaches(target)
