"""Trees of what a set of worlds come to: Pareto fronts, and single vectors that a rule backs up."""

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.search.outcomes._fronts import FrontTree

class OutcomeTree(FrontTree):
    """A tree over followed worlds."""

    def vector(self, action: int, rule: int, left: int) -> NDArray[np.uint8] | None:
        """The vector that a rule backs up after an action, uint8 [outcomes]; None: the deadline has passed.

        Args:
            action: a legal action of the seat that searches (unchecked).
            rule: 0 the best vector at own nodes, 1 the same with reduced outcomes, 2 all seats by their own cards.
            left: moves to be looked ahead after it: own ones, with the last rule those of all seats.
        """
