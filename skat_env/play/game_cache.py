"""What a seat keeps from one decision of a game for its next: a search tree, the results of an inference."""

import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final, Generic, NamedTuple, TypeVar

import numpy as np

from skat_env.protocols import View

MAX_KEPT: Final = 1024
"""The number of seats for which something is kept; no more play at once."""

T = TypeVar("T")
_Key = tuple[int, int]
_Reference = weakref.ref[Any]


def _key(view: View, rng: np.random.Generator) -> _Key:
    """A seat; its generator is known by its lock, to which alone of its parts there are weak references."""
    return id(rng.bit_generator.lock), view.seat


class _Kept(NamedTuple, Generic[T]):
    """What a seat kept."""

    generator: _Reference
    view: View
    thing: T
    size: int


class GameCache(Generic[T]):
    """The object that each seat of the games in play kept last.

    A seat is identified by its random generator, as matches give every seat of every game its own. So games share
    nothing, and their results do not depend on what was played before. What is kept goes with the generator.

    Args:
        max_size: the largest sum of sizes; beyond it the oldest objects are dropped.
        size: the size of an object.
    """

    def __init__(self, max_size: int, size: Callable[[T], int]) -> None:
        self._max_size, self._size_of = max_size, size
        self._kept: OrderedDict[_Key, _Kept[T]] = OrderedDict()
        self._total = 0

    def take(self, view: View, rng: np.random.Generator) -> T | None:
        """Removes and returns what the seat kept earlier in this game; None if there is nothing."""
        found = self._pop(_key(view, rng))
        if found is None:
            return None
        _, earlier, thing, _ = found
        history = earlier.history()
        same = earlier.dealt == view.dealt and earlier.head() == view.head()
        return thing if same and view.history()[: len(history)] == history else None

    def keep(self, view: View, rng: np.random.Generator, thing: T) -> None:
        """Keeps an object for the seat's next decision; it counts with the size that it has now."""
        key, cache = _key(view, rng), weakref.ref(self)

        def forget(_: _Reference) -> None:
            if (found := cache()) is not None:
                found._pop(key)

        self._pop(key)
        size = self._size_of(thing)
        self._kept[key] = _Kept(weakref.ref(rng.bit_generator.lock, forget), view, thing, size)
        self._total += size
        while len(self._kept) > 1 and (self._total > self._max_size or len(self._kept) > MAX_KEPT):
            self._pop(next(iter(self._kept)))

    def _pop(self, key: _Key) -> "_Kept[T] | None":
        found = self._kept.pop(key, None)
        if found is not None:
            self._total -= found.size
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_kept": OrderedDict(), "_total": 0}
