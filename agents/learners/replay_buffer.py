"""The rows that a learner draws from: the newest ones, up to a capacity."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import DTypeLike, NDArray

Rows = dict[str, NDArray[np.generic]]


class ReplayBuffer:
    """Arrays by name whose rows belong together; a full buffer drops the oldest rows.

    Args:
        capacity: the maximum number of rows.
        columns: the shape and type of a row's entry, by name.
    """

    def __init__(self, capacity: int, columns: Mapping[str, tuple[Sequence[int], DTypeLike]]) -> None:
        self._arrays: Rows = {
            name: np.zeros((capacity, *shape), dtype) for name, (shape, dtype) in columns.items()
        }
        self.capacity = capacity
        self.added = 0
        """Rows added so far, including those dropped."""

    def __len__(self) -> int:
        return min(self.added, self.capacity)

    def add(self, rows: Rows) -> None:
        """Adds n rows; a smaller buffer keeps the last of them."""
        count = len(next(iter(rows.values())))
        places = np.arange(self.added, self.added + count)[-self.capacity :] % self.capacity
        for name, array in self._arrays.items():
            array[places] = rows[name][-self.capacity :]
        self.added += count

    def draw(self, count: int, rng: np.random.Generator, replace: bool = True) -> Rows:
        """Some rows at random; without replacement no more than there are."""
        if replace:
            chosen = rng.integers(len(self), size=count)
        else:
            chosen = rng.choice(len(self), min(count, len(self)), replace=False)
        return {name: array[chosen] for name, array in self._arrays.items()}

    def arrays(self, prefix: str) -> Rows:
        """What `restore` needs besides `added`."""
        return {f"{prefix}/{name}": array[: len(self)] for name, array in self._arrays.items()}

    def restore(self, prefix: str, arrays: Mapping[str, NDArray[np.generic]], added: int) -> None:
        """The inverse of `arrays`."""
        self.added = added
        for name, array in self._arrays.items():
            array[: len(self)] = arrays[f"{prefix}/{name}"]
