"""The outcomes of a set of worlds: one bit for each outcome of each world, in vectors of 64-bit words."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skat_env.solvers._followed import FollowedWorlds

class OutcomeWorlds:
    """Followed worlds, from which a tree plays on and to which it returns.

    The outcomes are numbered world by world, in each by level.

    Args:
        worlds: the worlds, all at positions of one information set.
        parts: of each seat: 0 it searches, 1 it is a partner, 2 an opponent.
        targets: int32 [worlds, levels], each for the aim of the world's question.
        reaching: whether an outcome is had where the declaring side reaches the target; if not, where it misses it.
        weights: of the worlds; what each of their outcomes is worth.
        deadline: seconds of `time.monotonic` at which searches end; 0: none.

    Raises:
        OptionError: if the targets are not such an array.
    """

    nodes: int
    """Nodes searched so far."""
    asked: int
    """Questions to the open-card solver so far."""
    stopped: bool
    """Whether the deadline has passed."""

    def __init__(
        self,
        worlds: FollowedWorlds,
        parts: Sequence[int],
        targets: NDArray[np.int32],
        reaching: bool,
        weights: Sequence[float],
        deadline: float = 0.0,
    ) -> None: ...
    def open_outcomes(self, actions: Sequence[int], threads: int = 1) -> NDArray[np.uint8]:
        """The outcomes after each action with open cards, uint8 [actions, outcomes]."""
