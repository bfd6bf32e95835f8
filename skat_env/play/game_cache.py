"""What a seat keeps from one decision of a game for its next: a search tree, the results of an inference."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

import numpy as np

from skat_env.protocols import View

MAX_KEPT: Final = 1024
"""The number of seats for which something is kept. Finished games leave entries behind; no more seats play at once."""

T = TypeVar("T")


class GameCache(Generic[T]):
    """The object that each seat of the games in play kept last.

    A seat is identified by its random generator, as matches give every seat of every game its own. So games share
    nothing, and their results do not depend on what was played before.

    Args:
        max_size: the largest sum of sizes; beyond it the oldest objects are dropped.
        size: the size of an object.
    """

    def __init__(self, max_size: int, size: Callable[[T], int]) -> None:
        self._max_size, self._size_of = max_size, size
        self._kept: OrderedDict[tuple[int, int], tuple[np.random.Generator, Any, T]] = OrderedDict()
        self._total = 0

    def take(self, view: View, rng: np.random.Generator) -> T | None:
        """Removes and returns what the seat kept earlier in this game; None if there is nothing."""
        found = self._kept.pop((id(rng), view.seat), None)
        if found is None:
            return None
        generator, earlier, thing = found
        self._total -= self._size_of(thing)
        history = earlier.history()
        same = generator is rng and earlier.dealt == view.dealt and earlier.head() == view.head()
        return thing if same and view.history()[: len(history)] == history else None

    def keep(self, view: View, rng: np.random.Generator, thing: T) -> None:
        """Keeps an object for the seat's next decision; its size must not change before it is taken."""
        key = id(rng), view.seat
        if key in self._kept:
            self._total -= self._size_of(self._kept.pop(key)[2])
        self._kept[key] = (rng, view, thing)
        self._total += self._size_of(thing)
        while len(self._kept) > 1 and (self._total > self._max_size or len(self._kept) > MAX_KEPT):
            self._total -= self._size_of(self._kept.popitem(last=False)[1][2])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": OrderedDict(), "_total": 0}
