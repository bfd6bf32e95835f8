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
        self._cached = lru_cache(size)(method)

    def __call__(self, *arguments: Any) -> T:
        """The method's result."""
        return self._cached(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return MethodCache, (self._method, self._size)
