"""Choosing an output of a network by its probabilities."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def choose(
    chances: NDArray[np.float32], rngs: Sequence[np.random.Generator] | None = None
) -> NDArray[np.intp]:
    """The likeliest output of each row, float32 [n, outputs], or with a generator a row a drawn one; int [n]."""
    if rngs is None:
        return np.asarray(chances.argmax(axis=1))
    reached = np.cumsum(chances, axis=1, dtype=np.float64)
    points = np.array([rng.random() for rng in rngs]) * reached[:, -1]
    return np.asarray((reached <= points[:, None]).sum(axis=1))
