"""The tree of an ending, grown card by card, so that the players' probabilities are asked for a whole layer at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

class Tree:
    """A forest of public histories, one tree for each group of worlds.

    A *node* is a sequence of cards played since the root; a *pair* is a node and a world in which the cards can fall
    so. The last trick is not spread out: every card of it is forced.

    Args:
        states: the worlds, states of one public history.
        classes: int32 [seats, worlds], equal numbers where a seat cannot tell the worlds apart at the root.
        weights: float64 [worlds].
        groups: int32 [worlds]; each group is a root of its own.
        unit: the index of the reward unit.
        factors: by seat; the value of a leaf is the sum of the factors times the returns of the seats.
        pair_limit: the most pairs.
    """

    node_count: int
    pair_count: int
    pair_limit: int

    def __init__(
        self,
        states: list[Any],
        classes: NDArray[np.int32],
        weights: NDArray[np.float64],
        groups: NDArray[np.int32],
        unit: int,
        factors: list[int],
        pair_limit: int,
    ) -> None: ...
    def look(self, seats: int) -> NDArray[np.int32] | None:
        """The questions of the layer, int32 [questions, 3]: node, a world, seat; None if nothing is left to grow.

        A question is an information set with a choice of one of `seats`, given as bits.
        """

    def keys(self, questions: NDArray[np.int32]) -> NDArray[np.uint64]:
        """A 64-bit hash of the information set of each question, uint64 [questions].

        Information sets of trees of one ending have equal keys where they are the same.
        """

    def grow(self, chances: NDArray[np.float64]) -> bool:
        """Adds the children of the layer; False if the tree would have more pairs than its limit.

        Args:
            chances: float64 [questions, 32], for each question of `look` the probability of each card.
        """

    def state(self, node: int, world: int) -> Any:
        """The State of a world at a node."""

    def nodes_of(self, seat: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The nodes at which a seat is to act, int64 [n], and a world of each, int32 [n]."""

    def children(self, node: int) -> dict[int, int]:
        """The cards played at a node and the nodes that they lead to."""

    def back_up(self, maximisers: int, sign: int) -> NDArray[np.float64]:
        """The value of each node for a side, summed over its worlds by reach, float64 [nodes].

        Args:
            maximisers: seats that choose the best card at their nodes, as bits; at others the values are added.
            sign: 1 for the declaring side, -1 for the other.
        """
