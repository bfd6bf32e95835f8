"""Choice among the legal outputs of a network by their probabilities."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.protocols import View

CARDS: Final = np.arange(32, dtype=np.uint64)


def legal_cards(views: Sequence[View]) -> NDArray[np.bool_]:
    """The legal cards, bool [n, 32]."""
    sets = np.array([view.legal() for view in views], np.uint64)
    return (sets[:, None] >> CARDS & np.uint64(1)).astype(np.bool_)


def choose(
    chances: NDArray[np.float32], rngs: Sequence[np.random.Generator] | None = None
) -> NDArray[np.intp]:
    """An output for each row of float32 [n, outputs]: the most probable, or one drawn by its generator; int [n]."""
    if rngs is None:
        return np.asarray(chances.argmax(axis=1))
    reached = np.cumsum(chances, axis=1, dtype=np.float64)
    points = np.array([rng.random() for rng in rngs]) * reached[:, -1]
    return np.asarray((reached <= points[:, None]).sum(axis=1))


def masked(logits: NDArray[np.float32], legal: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Softmax over the legal outputs, float32 [n, outputs]; 0 elsewhere."""
    shifted = np.where(legal, logits, -np.inf)
    shifted = shifted - shifted.max(axis=1, keepdims=True)
    odds = np.exp(shifted)
    return np.asarray(odds / odds.sum(axis=1, keepdims=True), np.float32)
