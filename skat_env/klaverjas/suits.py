"""Suits relabelled for networks: trumps become suit 0, the other suits keep their order.

Equal situations then look equal whatever is trumps; an encoded card is `suit * 8 + rank` with the new suit.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray


def suit_order(trump: int) -> tuple[int, int, int, int]:
    """The suits in their encoded order."""
    first, second, third = (suit for suit in range(4) if suit != trump)
    return (trump, first, second, third)


CARD: Final = np.array([[8 * s + r for s in suit_order(t) for r in range(8)] for t in range(4)], np.uint8)
"""uint8 [trump, encoded card]: the card."""
ENCODED: Final = np.argsort(CARD, axis=1).astype(np.uint8)
"""uint8 [trump, card]: the encoded card."""


def encode_card(card: int, trump: int) -> int:
    """The encoded card of a card."""
    return int(ENCODED[trump, card])


def decode_card(encoded: int, trump: int) -> int:
    """The card of an encoded card."""
    return int(CARD[trump, encoded])


def encode_mask(masks: NDArray[Any], trumps: NDArray[Any]) -> NDArray[np.bool_]:
    """Sets of cards as bool [n, 32] over encoded cards, from masks [n] (bits above the cards are ignored)."""
    bits = np.asarray(masks, np.uint64)[:, None] >> CARD[np.asarray(trumps)].astype(np.uint64)
    return (bits & np.uint64(1)).astype(np.bool_)


def shuffle_plain_suits(rows: NDArray[np.float32], rng: np.random.Generator) -> None:
    """Draws for every row of `klaverjas.perspective`, float32 [n, 299], an order of the three plain suits, in place.

    Aaldering 2023, section 3.2: the plain suits stand in random order, so that no two of them differ for the network.
    """
    suits = rows[:, 72:288].reshape(len(rows), 3, 72)
    order = rng.permuted(np.tile(np.arange(3), (len(rows), 1)), axis=1)
    rows[:, 72:288] = np.take_along_axis(suits, order[:, :, None], axis=1).reshape(len(rows), 216)
