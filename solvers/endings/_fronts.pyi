"""The best pure strategy of a seat against opponents who see all cards: fronts of the vectors of values by world."""

import numpy as np
from numpy.typing import NDArray

from solvers.endings._tree import Tree

class Fronts:
    """Searches a tree in which every seat has tried every card.

    Args:
        tree: the tree.
        seat: the seat.
        partners: the other seats of its side, as bits.
        sign: 1 if it is the declaring side, else -1.
        limit: the most vectors made and compared.
    """

    limit: int
    work: int
    """Vectors made and compared."""
    short: float
    """The least by which the slack of the last search was too small; infinite if it never was."""

    def __init__(self, tree: Tree, seat: int, partners: int, sign: int, limit: int) -> None: ...
    def bounds(self, node: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The least and the most at a node, each int32 [worlds]."""

    def weights(self, node: int) -> NDArray[np.float64]:
        """The weights of a node's worlds, float64 [worlds]."""

    def front(self, node: int, target: NDArray[np.int32], slack: float) -> NDArray[np.int32] | None:
        """The front of a node, int32 [vectors, worlds]: those that stay behind the target by no more than the slack.

        Returns None if it takes more work than the limit.
        """
