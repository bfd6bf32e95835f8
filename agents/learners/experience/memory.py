"""Memories of rows, such as decisions, from which learners draw again and again."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.errors import OptionError
from skat_env.options import Count, checked_options

BITS: Final = np.dtype(np.int8)
"""The type of columns of bits, observations and masks, which are kept eight to a byte."""
Rows = dict[str, NDArray[Any]]
"""Columns [rows, ...] by name."""


class Memory:
    """A replay buffer: a memory of rows, with room for so many.

    Args:
        name: of its arrays, as a learner may have several.
        size: the most rows.
        reservoir: whether each row that ever came is in it with the same probability (Vitter 1985); else the last ones.
    """

    @checked_options("a memory")
    def __init__(self, name: str, size: Count, reservoir: bool = False) -> None:
        self._name, self._size, self._reservoir = f"{name}/", size, reservoir
        self._columns: Rows = {}
        self._widths: dict[str, int] = {}
        self.added = 0
        """Rows added so far, including those that were dropped."""

    def __len__(self) -> int:
        return min(self.added, self._size)

    def add(self, rows: Rows, rng: np.random.Generator | None = None) -> None:
        """Adds rows: the same columns each time; those of int8 hold bits.

        Args:
            rows: their columns.
            rng: draws the rows that a reservoir keeps; others need none.
        """
        count = len(next(iter(rows.values())))
        numbers = np.arange(self.added, self.added + count)
        places = numbers % self._size
        if self._reservoir:
            assert rng is not None
            late = numbers >= self._size
            places[late] = rng.integers(numbers[late] + 1)
        kept = np.flatnonzero(places < self._size)
        for name, column in rows.items():
            packed = np.packbits(column, axis=1) if column.dtype == BITS else column
            if name not in self._columns:
                self._columns[name] = np.zeros((self._size, *packed.shape[1:]), packed.dtype)
                self._widths[name] = column.shape[1] if column.dtype == BITS else 0
            self._columns[name][places[kept]] = packed[kept]
        self.added += count

    def draw(self, rng: np.random.Generator, count: int, replace: bool = True) -> Rows:
        """Some rows at random: columns [count, ...] by name; without replacement no more than there are.

        Raises:
            OptionError: if there are none.
        """
        if not len(self):
            raise OptionError(f"{count} rows of a memory without any: expected rows to be added first")
        if replace:
            chosen = rng.integers(len(self), size=count)
        else:
            chosen = rng.choice(len(self), min(count, len(self)), replace=False)
        return {name: self._unpacked(name, column[chosen]) for name, column in self._columns.items()}

    def arrays(self) -> Rows:
        """All that `restore` needs, as named arrays."""
        kept = {f"{self._name}{name}": column[: len(self)] for name, column in self._columns.items()}
        widths = np.array([self._widths[name] for name in sorted(self._widths)], np.int64)
        return {**kept, f"{self._name}widths": widths, f"{self._name}added": np.array([self.added])}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from what `arrays` gave; other arrays are left alone."""
        own = {
            key.removeprefix(self._name): each for key, each in arrays.items() if key.startswith(self._name)
        }
        self.added, widths = int(own.pop("added")[0]), own.pop("widths").tolist()
        self._columns, self._widths = {}, dict(zip(sorted(own), widths, strict=True))
        for name, each in own.items():
            self._columns[name] = np.zeros((self._size, *each.shape[1:]), each.dtype)
            self._columns[name][: len(each)] = each

    def _unpacked(self, name: str, rows: NDArray[Any]) -> NDArray[Any]:
        width = self._widths[name]
        return np.unpackbits(rows, axis=1, count=width).view(np.int8) if width else rows
