"""The open-card solver of Klaverjas: what the declaring team gets if all see all cards and play best."""

from collections.abc import Iterable
from typing import final

import numpy as np
from numpy.typing import NDArray

from skat_env.klaverjas import KlaverjasState
from skat_env.solvers._followed import FollowedWorlds
from skat_env.solvers.klaverjas.question import Question
from skat_env.solvers.solution import Solution

@final
class Solver:
    """Solves open-card positions of Klaverjas; owns the tables it searches with, three a thread.

    An answer depends on the position and the question alone, node counts included: never on what was asked before,
    nor on the number of threads. Values are the declaring team's, at the end of the deal.
    """

    def __init__(self) -> None: ...
    def solve(self, position: KlaverjasState, question: Question = ...) -> Solution:
        """Answers a question about a position at any point of the cardplay.

        Raises:
            ValueError: if the deal is not in cardplay.
        """

    def solve_many(
        self, positions: Iterable[KlaverjasState], question: Question = ..., threads: int = 1
    ) -> list[Solution]:
        """Answers a question about each of many positions, in their order; the GIL is released meanwhile.

        Signals are heard between positions: Ctrl-C ends a batch after those in hand.

        Raises:
            ValueError: as `solve`, or if `threads` is not in 1..64.
        """

    def action_values(
        self,
        positions: Iterable[KlaverjasState],
        actions: Iterable[int],
        question: Question = ...,
        threads: int = 1,
    ) -> NDArray[np.int16]:
        """What the declaring team gets at least after each of some actions, int16 [positions, actions].

        These are the lower bounds of `solve_many`: exact values, or, of a decision, at least its target if that is
        reached and less if not. Other actions are not searched.

        Raises:
            ValueError: as `solve_many`, or if an action is not legal in one of the positions.
        """

    @staticmethod
    def followed() -> FollowedWorlds:
        """Worlds to be followed through a deal, with tables of their own."""
