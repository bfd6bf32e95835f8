"""Relabelling suits for networks: trumps become suit 0, the other suits keep their order.

Equivalent situations then look the same whatever is trumps. An encoded card is `suit * 8 + rank` with the new suit.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray


def suit_order(trump: int) -> tuple[int, int, int, int]:
    """The suits in their encoded order."""
    first, second, third = (suit for suit in range(4) if suit != trump)
    return (trump, first, second, third)


CARD: Final = np.array([[8 * s + r for s in suit_order(t) for r in range(8)] for t in range(4)], np.uint8)
"""uint8 [trump, encoded card] -> the card."""
ENCODED: Final = np.argsort(CARD, axis=1).astype(np.uint8)
"""uint8 [trump, card] -> the encoded card."""


def shuffle_plain_suits(rows: NDArray[np.float32], rng: np.random.Generator) -> None:
    """Shuffles the three plain suits in each row of `klaverjas.perspective`, float32 [n, 299], in place.

    Aaldering 2023, section 3.2: the plain suits are in random order, so that they look alike to the network.
    """
    suits = rows[:, 72:288].reshape(len(rows), 3, 72)
    order = rng.permuted(np.tile(np.arange(3), (len(rows), 1)), axis=1)
    rows[:, 72:288] = np.take_along_axis(suits, order[:, :, None], axis=1).reshape(len(rows), 216)
