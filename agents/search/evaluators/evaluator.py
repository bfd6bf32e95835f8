"""Evaluators: they value the leaves of tree searches in place of random rollouts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.search.tree._ismcts import Tree
from skat_env.agents.search.tree._worlds import Worlds
from skat_env.protocols import State, View


@dataclass(slots=True)
class Search:
    """A search in progress: of one tree."""

    view: View
    tree: Tree
    worlds: Worlds
    stream: int
    """The seed of the search's random numbers."""
    limit: int
    """The number of simulations at most."""
    done: int = 0
    """The number of simulations so far."""

    def leaf_text(self, number: int) -> str:
        """The position of a waiting leaf, as text."""
        return str(self.tree.leaves(self.worlds)[number].text())


@runtime_checkable
class Evaluator(Protocol):
    """Values batches of states."""

    name: str

    def values(self, states: list[State]) -> NDArray[np.float64]:
        """The expected result of the declaring side less the other side's, float64 [states], in the reward unit of the
        search.
        """


@runtime_checkable
class TreeEvaluator(Protocol):
    """Values the leaves of many trees in one batch, without making States of them."""

    name: str
    unit: str
    """The reward unit of its values."""
    priors: bool
    """Whether it also has a policy, which guides the search (PUCT)."""

    def settle(self, searches: Sequence[Search]) -> None:
        """Gives every waiting leaf of the searches' trees its value."""


class StateEvaluator:
    """Adapts an `Evaluator` to `TreeEvaluator`."""

    priors = False

    def __init__(self, evaluator: Evaluator, unit: str) -> None:
        self._evaluator = evaluator
        self.name, self.unit = evaluator.name, unit

    def settle(self, searches: Sequence[Search]) -> None:
        """Values the leaves with one call for each tree."""
        for search in searches:
            values = self._evaluator.values(search.tree.leaves(search.worlds))
            search.tree.settle(np.ascontiguousarray(values, np.float64))
