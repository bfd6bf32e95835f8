"""Methods whose last results are kept."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class MethodCache(Generic[T]):
    """`functools.lru_cache` of a method of one object; a copy of the object has an empty one of its own.

    Args:
        method: the bound method.
        size: the number of results that are kept.
    """

    def __init__(self, method: Callable[..., T], size: int) -> None:
        self._method, self._size = method, size
        self._cell = lru_cache(size)(lambda *arguments: list[T]())  # the result; empty if there is none

    def __call__(self, *arguments: Any) -> T:
        """The method's result."""
        cell = self._cell(*arguments)
        found = cell[:] or [self._method(*arguments)]
        cell[:] = found
        return found[0]

    def forget(self, stale: Callable[[T], bool], *arguments: Any) -> None:
        """Forgets the result for some arguments if there is one and it is stale."""
        cell = self._cell(*arguments)
        cell[:] = [found for found in cell if not stale(found)]

    def __reduce__(self) -> tuple[Any, ...]:
        return MethodCache, (self._method, self._size)
