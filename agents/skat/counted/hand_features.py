"""Features of hands for Kermit's inference tables, and their probabilities in random hands.

The cards of a contract fall into groups: in suit games the trumps and three plain suits, in grand the jacks and four
plain suits, in null games four suits. A feature is a number for what a hand holds of a group:

- trumps: which jacks (16 patterns), and how many cards of the trump suit (0 .. 7);
- plain suits: how many cards (0 .. 7), the ace, the ten;
- suits of null games: how many cards (0 .. 8), the seven, the eight, the nine.

If the hand's owner discarded the two cards of the skat, the feature also counts them: how many are of the group and, in
plain suits, whether the ace or the ten is among them.
"""

from functools import cache
from itertools import combinations
from math import comb
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from skat_env.cards import ACE, JACK, TEN, mask_of, rank_mask, suit_mask
from skat_env.skat.rules import Contract

Masks = NDArray[np.uint32]
Features = NDArray[np.intp]

HAND_FEATURES: Final = {"trumps": 16 * 8, "plain": 8 * 4, "null": 9 * 8}
"""The number of features of a hand, by kind of group."""
SKAT_FEATURES: Final = {"trumps": 3, "plain": 3 * 4, "null": 3}
"""The number of features of two discards, by kind of group."""
HAND_SIZE: Final = 10
SKAT_SIZE: Final = 2
_BYTES: Final = np.arange(256)
_LENGTH: Final = np.bitwise_count(_BYTES & ~(1 << JACK)).astype(np.intp)
"""The number of cards without the jack, by byte of a suit."""
_PLAIN: Final = _LENGTH * 4 + (_BYTES >> ACE & 1) * 2 + (_BYTES >> TEN & 1)
_NULL: Final = np.bitwise_count(_BYTES).astype(np.intp) * 8 + (_BYTES & 7)


class Group(NamedTuple):
    """A group of cards."""

    kind: str
    """One of `HAND_FEATURES`."""
    suit: int
    """The suit 0 .. 3, for trumps the trump suit; -1: the jacks alone."""

    @property
    def cards(self) -> int:
        """The cards of the group, as a mask."""
        suit = suit_mask(self.suit) if self.suit >= 0 else 0
        if self.kind == "null":
            return suit
        jacks = rank_mask(JACK)
        return suit | jacks if self.kind == "trumps" else suit & ~jacks


def groups_of(contract: int) -> list[Group]:
    """The groups of a contract."""
    if contract == Contract.NULL:
        return [Group("null", suit) for suit in range(4)]
    trumps = Group("trumps", -1 if contract == Contract.GRAND else contract)
    return [trumps, *(Group("plain", suit) for suit in range(4) if suit != contract)]


def features(group: Group, hands: Masks, skats: Masks | None) -> Features:
    """The features of hands, int [n].

    Args:
        group: the cards that count.
        hands: uint32 [n], before the first card is played.
        skats: uint32 [n], the discards of the hand's owner; None: none, as in hand games.
    """
    if group.kind == "trumps":
        jacks = hands >> 4 & 1 | hands >> 11 & 2 | hands >> 18 & 4 | hands >> 25 & 8
        of_hand = jacks.astype(np.intp) * 8
        if group.suit >= 0:
            of_hand += _LENGTH[hands >> 8 * group.suit & 0xFF]
    else:
        of_hand = (_PLAIN if group.kind == "plain" else _NULL)[hands >> 8 * group.suit & 0xFF]
    if skats is None:
        return np.asarray(of_hand)
    if group.kind == "plain":
        of_skat = _PLAIN[skats >> 8 * group.suit & 0xFF]
    else:
        of_skat = np.bitwise_count(skats & np.uint32(group.cards)).astype(np.intp)
    return np.asarray(of_hand + HAND_FEATURES[group.kind] * of_skat)


@cache
def random_hands(group: Group, discards: bool) -> NDArray[np.float64]:
    """The probability of each feature for ten random cards, with two random discards or without."""
    cards = [card for card in range(32) if group.cards >> card & 1]
    held = np.array(
        [mask_of(some) for n in range(len(cards) + 1) for some in combinations(cards, n)], np.uint32
    )
    laid = [0]
    if discards:
        laid = [mask_of(some) for n in range(SKAT_SIZE + 1) for some in combinations(cards, n)]
    hands = np.concatenate([held[(held & np.uint32(mask)) == 0] for mask in laid])
    skats = np.repeat(
        np.array(laid, np.uint32), [np.count_nonzero((held & np.uint32(mask)) == 0) for mask in laid]
    )
    chances = _chances(32 - len(cards), discards)[np.bitwise_count(hands), np.bitwise_count(skats)]
    size = HAND_FEATURES[group.kind] * (SKAT_FEATURES[group.kind] if discards else 1)
    found = np.bincount(features(group, hands, skats if discards else None), chances, size)
    return found.astype(np.float64)


def _chances(others: int, discards: bool) -> NDArray[np.float64]:
    """The probability that given cards of a group lie in the hand and others in the skat, by their numbers [11, 3].

    The remaining cards of the group lie elsewhere; `others` is the number of cards outside the group.
    """
    skat = SKAT_SIZE if discards else 0
    deals = comb(32, HAND_SIZE) * comb(32 - HAND_SIZE, skat)
    chances = np.zeros((HAND_SIZE + 2, SKAT_SIZE + 1))
    for held in range(HAND_SIZE + 1):
        for laid in range(skat + 1):
            rest = others - (HAND_SIZE - held)
            chances[held, laid] = comb(others, HAND_SIZE - held) * comb(rest, skat - laid) / deals
    return chances
