"""What the open-card solvers of all games are to Python."""

from collections.abc import Iterable
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from skat_env.solvers._followed import FollowedWorlds
from skat_env.solvers.solution import Solution

Position = TypeVar("Position")
Question = TypeVar("Question")

class OpenCardSolver(Generic[Position, Question]):
    """Solves positions whose cards are all open; owns the tables it searches with, some per thread.

    An answer depends on the position and the question alone, node counts included: never on what was asked before,
    nor on the number of threads. Calls from several Python threads wait for each other: give each its own solver.
    """

    def solve(self, position: Position, question: Question = ...) -> Solution:
        """Answers a question about a position at any point of the cardplay.

        Raises:
            ValueError: if the game is not in cardplay, or a target is out of range.
        """

    def solve_many(
        self, positions: Iterable[Position], question: Question = ..., threads: int = 1
    ) -> list[Solution]:
        """Answers a question about each of many positions, in their order; the GIL is released meanwhile.

        Signals are heard between positions: Ctrl-C ends a batch after those in hand.

        Raises:
            ValueError: as `solve`, or if `threads` is not in 1..64.
        """

    def action_values(
        self,
        positions: Iterable[Position],
        actions: Iterable[int],
        question: Question = ...,
        threads: int = 1,
    ) -> NDArray[np.int16]:
        """What the declaring side gets at least after each of some actions, int16 [positions, actions].

        These are the lower bounds of `solve_many`: exact values, or, of a decision, at least its target if that is
        reached and less if not. Other actions are not searched.

        Raises:
            ValueError: as `solve_many`, or if an action is not legal in one of the positions.
        """

    def followed(self) -> FollowedWorlds:
        """Worlds to be followed through a game, with tables of their own."""
