"""What the solvers' generic modules need of a game's State and of its open-card solver."""

from collections.abc import Iterable
from typing import Protocol, TypeVar

from skat_env.protocols import State
from solvers.question import OpenCardQuestion
from solvers.solution import Solution


class CardplayState(State, Protocol):
    """A State whose tricks can be read."""

    def plays(self) -> list[tuple[int, int]]:
        """All cards played as (seat, card), in order."""

    def trick(self) -> list[tuple[int, int]]:
        """The cards on the table as (seat, card), in the order played."""


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
