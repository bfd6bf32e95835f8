"""Paranoia search: what a player of Skat is sure of, whatever the others hold and play."""

from collections.abc import Iterable
from typing import final

from skat_env.skat._state import SkatView
from skat_env.solvers.skat.information_set import InformationSet
from skat_env.solvers.skat.question import SureQuestion
from skat_env.solvers.solution import Solution

@final
class ParanoiaSolver:
    """Finds what a player is sure of with one strategy that never sees a hidden card (Edelkamp 2020, section 7.2).

    Values are those of the side of the player whose view it is: its card points at the end of the game (the soloist's
    include the skat's), its tricks, or in null games 1 if it wins. A defender's partner may play anything.

    An answer depends on the position and the question alone, node counts included: never on what was asked before,
    nor on the number of threads. Games that the rules would end early are valued as if played to the end.
    """

    def __init__(self) -> None: ...
    def solve(self, position: SkatView | InformationSet, question: SureQuestion = ...) -> Solution:
        """Answers a question about a position.

        Raises:
            ValueError: if the game is not in cardplay, no world is possible, the target is out of range, or the values
                of actions are asked for where another player is to act.
        """

    def solve_many(
        self, positions: Iterable[SkatView | InformationSet], question: SureQuestion = ..., threads: int = 1
    ) -> list[Solution]:
        """Answers a question about each of many positions, in their order; the GIL is released meanwhile.

        Raises:
            ValueError: as `solve`, or if `threads` is not in 1..64.
        """
