"""The shape that the open-card solvers of all games share."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from skat_env.solvers.question import OpenCardQuestion
from skat_env.solvers.solution import Solution

PositionT = TypeVar("PositionT", contravariant=True)
QuestionT = TypeVar("QuestionT", bound=OpenCardQuestion, contravariant=True)


class OpenCardSolver(Protocol[PositionT, QuestionT]):
    """Answers questions about positions of one game if all see all cards and play best."""

    def solve(self, position: PositionT, question: QuestionT = ..., /) -> Solution:
        """The answer to a question about a position."""

    def solve_many(
        self, positions: Iterable[PositionT], question: QuestionT = ..., threads: int = 1, /
    ) -> list[Solution]:
        """The answers to a question about each of many positions, in their order."""
