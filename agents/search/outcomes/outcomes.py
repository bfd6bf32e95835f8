"""Outcomes of the searches that back vectors up: each is had in a world or not, by a target of the open-card solver."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from skat_env.errors import OptionError
from skat_env.options import shown
from skat_env.protocols import State
from skat_env.solvers._followed import FollowedWorlds

MAX_LEVELS = 8
"""The most thresholds of one search: each is solved in every world."""
Thresholds = str | int | Sequence[int] | None
"""Numbers joined by `+`, or their sequence; None: whether the declaring side wins."""


@dataclass(frozen=True, slots=True)
class Levels:
    """What is asked in some worlds. The declaring side has an outcome where it reaches the target, or misses it."""

    questions: list[Any]
    """The question of each world, whose aim says what is counted."""
    targets: NDArray[np.int32]
    """int32 [worlds, levels]."""
    wanted: bool = True
    """Whether the declaring side wants to reach its targets; in a null game of Skat it does not."""


class Outcomes(Protocol):
    """The part `outcomes` of a game."""

    lowest: int
    """The lowest threshold there may be."""
    highest: int
    """The highest one."""
    counted: str
    """What thresholds count, in words: `card points`."""

    def followed(self) -> FollowedWorlds:
        """Worlds for the game's open-card solver."""

    def win(self, states: Sequence[State]) -> Levels:
        """Whether the declaring side wins, in states of one information set."""

    def points(self, states: Sequence[State], thresholds: Sequence[int]) -> Levels:
        """Whether it reaches each threshold."""


def read_thresholds(owner: str, thresholds: Thresholds, outcomes: Outcomes) -> tuple[int, ...]:
    """The thresholds that an option names, ascending; none for None.

    Raises:
        OptionError: if they are no such numbers, too many, out of range, or not all different.
    """
    if thresholds is None:
        return ()
    words: Sequence[Any] = [thresholds] if isinstance(thresholds, int) else thresholds
    if isinstance(thresholds, str):
        words = thresholds.split("+")
    try:
        levels = sorted(int(str(word)) for word in words)
    except ValueError:
        levels = []
    low, high = outcomes.lowest, outcomes.highest
    if (
        not 1 <= len(levels) <= MAX_LEVELS
        or len(set(levels)) < len(levels)
        or levels[0] < low
        or levels[-1] > high
    ):
        raise OptionError(
            f"{owner} with thresholds={shown(thresholds)}: expected 1 to {MAX_LEVELS} different numbers of "
            f"{outcomes.counted} from {low} to {high}, joined by '+'"
        )
    return tuple(levels)
