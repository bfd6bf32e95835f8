"""What values the leaves of tree searches in place of random rollouts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from agents.search._ismcts import Tree
from agents.search._worlds import Worlds
from skat_env.protocols import State, View


@dataclass(slots=True)
class Search:
    """A search in progress."""

    view: View
    tree: Tree
    worlds: Worlds
    stream: int
    """The seed of its random numbers."""
    done: int = 0
    """Simulations so far."""


@runtime_checkable
class Evaluator(Protocol):
    """Values states; asked for many at once."""

    name: str

    def values(self, states: list[State]) -> NDArray[np.float64]:
        """What the declaring side can expect to have more than the other in each state, in the searched reward unit,
        float64 [states].
        """


@runtime_checkable
class TreeEvaluator(Protocol):
    """Values the leaves of many trees at once, without making States of them."""

    name: str
    unit: str
    """The reward unit of its values."""
    priors: bool
    """Whether it has a policy besides, which guides the search (PUCT)."""

    def settle(self, searches: Sequence[Search]) -> None:
        """Brings every leaf that waits in the searches' trees its value."""


class StateEvaluator:
    """An `Evaluator` as `TreeEvaluator`."""

    priors = False

    def __init__(self, evaluator: Evaluator, unit: str) -> None:
        self._evaluator = evaluator
        self.name, self.unit = evaluator.name, unit

    def settle(self, searches: Sequence[Search]) -> None:
        """Asks once a tree."""
        for search in searches:
            values = self._evaluator.values(search.tree.leaves(search.worlds))
            search.tree.settle(np.ascontiguousarray(values, np.float64))
