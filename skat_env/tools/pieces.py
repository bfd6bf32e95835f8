"""The pieces of work that workers are given: values that many of them share, and pieces that are known later."""

from collections.abc import Iterator
from enum import Enum
from itertools import islice, takewhile
from typing import Any, Final, Generic, TypeVar

Item = TypeVar("Item")


class Shared(Generic[Item]):
    """A value that many pieces of work have; a ray cluster sends it to each node once."""

    def __init__(self, value: Item) -> None:
        self.value = value
        self.reference: Any = None
        """Where the cluster has it."""


class Later(Enum):
    """The type of `LATER`."""

    LATER = "later"


LATER: Final = Later.LATER
"""Stands among the items where the next one is not known before the caller has taken another result."""


def taken(items: Iterator[Item | Later], most: int) -> Iterator[Item]:
    """The next items, at most some number, up to one that is known later."""
    return takewhile(lambda item: item is not LATER, islice(items, max(0, most)))  # type: ignore[arg-type]
