"""Worlds that are followed through a game, each with a table that is kept from question to question."""

from collections.abc import Iterable, Sequence
from typing import Any, final

@final
class FollowedWorlds:
    """Worlds of one game, each with a table that is kept until they begin anew. For one thread at a time.

    Solvers make it (`Solver.followed`). What it answers is what the solver answers; only the nodes searched depend on
    what was asked before.
    """

    count: int
    """The number of worlds."""

    def begin(self, positions: Iterable[Any], questions: Iterable[Any]) -> None:
        """Puts worlds at positions, with empty tables.

        Args:
            positions: states of one game in its cardplay.
            questions: what is asked in each, of which only the aim counts.

        Raises:
            ValueError: if there are none, or not as many questions, or a state is not in its cardplay.
            TypeError: if a position or a question is of another kind.
        """

    def reached(self, world: int, target: int, actions: Sequence[int] = ()) -> bool:
        """Whether the declaring side reaches a target after some actions in a world, with open cards and best play.

        Args:
            world: the number of the world.
            target: as the question's aim counts; whether the game is made, for instance, is 1.
            actions: what is played from the world's position on; the world stays where it is.

        Raises:
            ValueError: if there is no such world, or an action is not legal.
        """
