"""The trees of searches that go on: a seat's next decision in the same game starts from what the last one found."""

from collections import OrderedDict
from typing import Any, Final

import numpy as np

from agents._ismcts import Tree

MOST_EDGES: Final = 4_000_000
"""Of all trees kept together, 32 bytes each; beyond it the oldest go."""
MOST_TREES: Final = 1024
"""Games that are over leave their trees behind; games in play at once have no more seats than this."""


class TreeCache:
    """The last tree of every seat of the games in play.

    A game is known by its random generator: matches give every seat of every game one of its own. So games never share
    a tree, and their results do not depend on what was played before.
    """

    def __init__(self) -> None:
        self._trees: OrderedDict[tuple[int, int], tuple[np.random.Generator, Any, Tree]] = OrderedDict()
        self._edges = 0

    def take(self, view: Any, rng: np.random.Generator) -> Tree | None:
        """The tree of the decision from which this view has come; None if there is none."""
        found = self._trees.pop((id(rng), view.seat), None)
        if found is None:
            return None
        generator, earlier, tree = found
        self._edges -= tree.size
        history = earlier.history()
        same = generator is rng and earlier.dealt == view.dealt and earlier.head() == view.head()
        return tree if same and view.history()[: len(history)] == history else None

    def keep(self, view: Any, rng: np.random.Generator, tree: Tree) -> None:
        """Keeps the tree of a decision."""
        self._trees[id(rng), view.seat] = (rng, view, tree)
        self._edges += tree.size
        while len(self._trees) > 1 and (self._edges > MOST_EDGES or len(self._trees) > MOST_TREES):
            self._edges -= self._trees.popitem(last=False)[1][2].size

    def __getstate__(self) -> dict[str, Any]:
        return {"_trees": OrderedDict(), "_edges": 0}
