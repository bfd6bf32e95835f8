"""What a seat keeps from one decision of a game for its next: the tree of a search, what an inference found."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

import numpy as np

from skat_env.protocols import View

MAX_KEPT: Final = 1024
"""Games that are over leave something behind; games in play at once have no more seats than this."""

T = TypeVar("T")


class GameCache(Generic[T]):
    """The last thing that was kept for every seat of the games in play.

    A game is known by its random generator: matches give every seat of every game one of its own. So games never share
    anything, and their results do not depend on what was played before.

    Args:
        most: of all sizes together; beyond it the oldest go.
        size: of a thing.
    """

    def __init__(self, max_size: int, size: Callable[[T], int]) -> None:
        self._max_size, self._size_of = max_size, size
        self._kept: OrderedDict[tuple[int, int], tuple[np.random.Generator, Any, T]] = OrderedDict()
        self._total = 0

    def take(self, view: View, rng: np.random.Generator) -> T | None:
        """What was kept at the decision from which this view has come; None if there is nothing."""
        found = self._kept.pop((id(rng), view.seat), None)
        if found is None:
            return None
        generator, earlier, thing = found
        self._total -= self._size_of(thing)
        history = earlier.history()
        same = generator is rng and earlier.dealt == view.dealt and earlier.head() == view.head()
        return thing if same and view.history()[: len(history)] == history else None

    def keep(self, view: View, rng: np.random.Generator, thing: T) -> None:
        """Keeps what a decision leaves for the next; its size must not change before it is taken."""
        key = id(rng), view.seat
        if key in self._kept:
            self._total -= self._size_of(self._kept.pop(key)[2])
        self._kept[key] = (rng, view, thing)
        self._total += self._size_of(thing)
        while len(self._kept) > 1 and (self._total > self._max_size or len(self._kept) > MAX_KEPT):
            self._total -= self._size_of(self._kept.popitem(last=False)[1][2])

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": OrderedDict(), "_total": 0}
