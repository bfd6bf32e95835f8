"""Rows of features."""

import numpy as np
from numpy.typing import NDArray


def features(width: int, rows: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """Rows of which most entries are 0, others 1, and a few any number."""
    found = (rng.random((rows, width)) < 0.15).astype(np.float32)
    some = rng.random((rows, width)) < 0.02
    found[some] = rng.normal(size=int(some.sum()))
    return found
