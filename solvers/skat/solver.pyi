"""The open-card solver of Skat: what the soloist gets if all see all cards and play best."""

from collections.abc import Iterable
from typing import final

import numpy as np
from numpy.typing import NDArray

from skat_env.skat._state import SkatState
from skat_env.solvers._followed import FollowedWorlds
from skat_env.solvers.skat.position import OpenPosition
from skat_env.solvers.skat.question import Question
from skat_env.solvers.solution import Solution

@final
class Solver:
    """Solves open-card positions of Skat; owns the tables it searches with, one per thread.

    An answer depends on the position and the question alone, node counts included: never on what was asked before,
    nor on the number of threads. Games that the rules would end early are valued as if played to the end.
    """

    def __init__(self) -> None: ...
    def solve(self, position: SkatState | OpenPosition, question: Question = ...) -> Solution:
        """Answers a question about a position.

        Raises:
            ValueError: if the game is not in cardplay, or the target is out of range.
        """

    def solve_many(
        self, positions: Iterable[SkatState | OpenPosition], question: Question = ..., threads: int = 1
    ) -> list[Solution]:
        """Answers a question about each of many positions, in their order; the GIL is released meanwhile.

        Signals are heard between positions: Ctrl-C ends a batch after those in hand.

        Raises:
            ValueError: as `solve`, or if `threads` is not in 1..64.
        """

    def action_values(
        self,
        positions: Iterable[SkatState | OpenPosition],
        actions: Iterable[int],
        question: Question = ...,
        threads: int = 1,
    ) -> NDArray[np.int16]:
        """What the soloist gets at least after each of some actions, int16 [positions, actions].

        These are the lower bounds of `solve_many`: exact values, or, of a decision, at least its target if that is
        reached and less if not. Other actions are not searched.

        Raises:
            ValueError: as `solve_many`, or if an action is not legal in one of the positions.
        """

    @staticmethod
    def followed() -> FollowedWorlds:
        """Worlds to be followed through a game, with tables of their own."""
