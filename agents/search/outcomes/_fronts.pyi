"""Pareto fronts of vectors of outcomes: what a strategy of the searching seat gets in each world."""

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.search.outcomes._outcomes import OutcomeWorlds

class FrontTree(OutcomeWorlds):
    """A tree whose nodes have Pareto fronts."""

    cuts: int
    """Nodes that were cut so far."""
    largest: int
    """Vectors of the largest front so far."""

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
