"""Trees of what a set of worlds come to: vectors of outcomes, one bit for each outcome of each world."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skat_env.solvers._followed import FollowedWorlds

class OutcomeTree:
    """A tree over followed worlds, from which it plays on and to which it returns.

    The outcomes are numbered world by world, in each by level.

    Args:
        worlds: the worlds, all at positions of one information set.
        parts: of each seat: 0 it searches, 1 it is a partner, 2 an opponent.
        targets: int32 [worlds, levels], each for the aim of the world's question.
        reaching: of each world: 1 where an outcome is had if the declaring side reaches the target, 0 if it misses it.
        weights: of the worlds.
        gains: what each level is worth.
        deadline: seconds of `time.monotonic` at which searches end; 0: none.

    Raises:
        OptionError: if the targets are not such an array.
    """

    nodes: int
    """Nodes searched so far."""
    asked: int
    """Questions to the open-card solver so far."""
    cuts: int
    """Nodes that were cut so far."""
    largest: int
    """Vectors of the largest front so far."""
    stopped: bool
    """Whether the deadline has passed."""

    def __init__(
        self,
        worlds: FollowedWorlds,
        parts: Sequence[int],
        targets: NDArray[np.int32],
        reaching: Sequence[bool],
        weights: Sequence[float],
        gains: Sequence[float],
        deadline: float = 0.0,
    ) -> None: ...
    def open_outcomes(self, actions: Sequence[int], threads: int = 1) -> NDArray[np.uint8]:
        """The outcomes after each action with open cards, uint8 [actions, outcomes]."""

    def front(
        self, action: int, outcomes: NDArray[np.uint8], m: int, need: float
    ) -> NDArray[np.uint8] | None:
        """The Pareto front after an action, uint8 [vectors, outcomes]; None: the deadline has passed.

        Args:
            action: a legal action of the seat that searches (unchecked).
            outcomes: those of the action with open cards, uint8 [outcomes].
            m: own moves to be looked ahead after it.
            need: vectors whose sum is less may be missing.
        """

    def vector(self, action: int, rule: int, left: int) -> NDArray[np.uint8] | None:
        """The vector that a rule backs up after an action, uint8 [outcomes]; None: the deadline has passed.

        Args:
            action: a legal action of the seat that searches (unchecked).
            rule: 0 the best vector at own nodes, 1 the same with reduced outcomes, 2 all seats by their own cards.
            left: moves to be looked ahead after it: own ones, with the last rule those of all seats.
        """
