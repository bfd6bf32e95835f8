"""Rows in which suits have changed places: what a network learns about one suit holds for the suits that are alike.

A game's part `alike_suits` says which suits those are, and whether their jacks go along.
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
"""Features with a value for each suit first; a feature of 32 values has one for each card."""
JACK: Final = 4
"""The rank of jacks."""


class SuitShuffle:
    """Draws an order of the suits for every row.

    Args:
        encoder: the encoder of the rows.
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
    """The shuffle for an encoder's rows, cached."""
    return SuitShuffle(get_encoder(encoder), alike, jacks)


def _columns(encoder: Encoder, cards: NDArray[np.int64], suits: NDArray[np.int64]) -> NDArray[np.int64]:
    """The column that each column of a row comes from, int64 [width].

    Card number i comes from card `cards[i]`, suit number i from suit `suits[i]`.
    """
    columns = np.arange(encoder.width)
    for feature in encoder.features:
        place = columns[encoder.slices[feature.name]].reshape(-1, feature.shape[-1])
        if feature.shape[-1] == len(cards):
            place[:] = place[:, cards]
        elif feature.name in SUITED:
            place[:, :4] = place[:, suits]
    return columns
