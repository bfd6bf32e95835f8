"""Rows in which suits have changed places: what is learnt of one suit holds for the others.

In null games the four suits are alike, in suit and grand games all of them but their jacks, which have an order of
their own. In Klaverjas, whose encoders put trumps first, the three plain suits are. What bids are worth depends on the
suit, so that in Skat it is true but for that.
"""

from functools import lru_cache
from itertools import permutations
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from skat_env._encoder import Encoder
from skat_env.encoders import get_encoder

SUITED: Final = ("void", "bid_type", "trump_suit", "suit")
"""Features that have a value for each suit, then others; those of 32 have one for each card."""
JACK: Final = 4
"""The rank."""


class SuitShuffle:
    """Draws an order of the suits for every row.

    Args:
        encoder: of the rows.
        alike: the suits that change places, as the encoder numbers suits.
        jacks: whether jacks change places with their suit.
    """

    def __init__(self, encoder: Encoder, alike: tuple[int, ...], jacks: bool) -> None:
        numbers_by_order, columns_by_order = [], []
        for order in permutations(alike):
            suits = np.arange(4)
            suits[list(alike)] = order
            cards = (8 * suits[:, None] + np.arange(8)).ravel()
            if not jacks:
                cards[JACK::8] = np.arange(JACK, 32, 8)
            numbers_by_order.append(np.argsort(cards))
            columns_by_order.append(_columns(encoder, cards, suits))
        self._numbers = np.array(numbers_by_order, np.uint8)
        self._columns = torch.from_numpy(np.array(columns_by_order))

    def __call__(self, features: torch.Tensor) -> tuple[torch.Tensor, NDArray[np.uint8]]:
        """Features [n, width] with suits in orders of torch's generator, and the cards' numbers, uint8 [n, 32]."""
        drawn = torch.randint(len(self._numbers), (len(features),))
        return features.gather(1, self._columns[drawn]), self._numbers[drawn.numpy()]


@lru_cache
def suit_shuffle(encoder: str, alike: tuple[int, ...], jacks: bool) -> SuitShuffle:
    """The shuffle for an encoder's rows; made once."""
    return SuitShuffle(get_encoder(encoder), alike, jacks)


def _columns(encoder: Encoder, cards: NDArray[np.int64], suits: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each column of a row comes from, int64 [width]: card and suit number i of `cards[i]` and `suits[i]`."""
    columns = np.arange(encoder.width)
    for feature in encoder.features:
        place = columns[encoder.slices[feature.name]].reshape(-1, feature.shape[-1])
        if feature.shape[-1] == len(cards):
            place[:] = place[:, cards]
        elif feature.name in SUITED:
            place[:, :4] = place[:, suits]
    return columns
