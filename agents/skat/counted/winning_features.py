"""Features of a soloist's cards from which its chance of winning is looked up (Edelkamp 2020, section 3, after Gößl).

Nine in suit games: the odds, the number of trumps, the jacks, the aces and the tens beside the trumps, the free suits,
whether it is in forehand, the card points of the skat, and the highest bid of the others. Seven in grand: without
trumps and free suits. In null games: the odds, the gaps of the four suits, the free suits, forehand, and the bid. They
are in the order in which they matter, the first most.

The odds say how far the cards stand, which Gößl finds empirically: the log-odds of winning that the rule player's
fitted table sums up from the holdings of all suits, the jacks, forehand and the points of the skat, in classes.
"""

from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat.rule._hand import null_logits, trump_logits
from skat_env.agents.skat.rule.hand import EVALUATOR
from skat_env.cards import ACE, JACK, TEN
from skat_env.skat.rules import CARD_POINTS, NULL_RANKS, Contract

Masks = NDArray[np.uint32]
Ints = NDArray[np.int64]

CLASSES: Final = 24
LEAST_ODDS: Final = -6.00003
PER_ODDS: Final = 2.0
"""The classes of log-odds: their number, where they begin, and how many to 1; the first and the last are open. The
table has at most four decimals, so that no sum lies on a border, where rounding would decide."""
NULL_CLASSES: Final = np.log(1 / (1 + np.exp(-(LEAST_ODDS + np.arange(1, CLASSES) / PER_ODDS)))).astype(
    np.float32
)
"""The least logarithms of the chance of winning null from class 1 on, float32 [23]: of the same log-odds."""

FEATURES: Final = {
    "suit": {
        "odds": CLASSES, "trumps": 12, "jacks": 16, "aces": 4, "tens": 4, "free_suits": 4, "forehand": 2,
        "skat_points": 5, "bid": 5,
    },
    "grand": {"odds": CLASSES, "jacks": 16, "aces": 5, "tens": 5, "forehand": 2, "skat_points": 5, "bid": 5},
    "null": {"odds": CLASSES, "gaps": 5**4, "free_suits": 4, "forehand": 2, "bid": 5},
}  # fmt: skip
"""The number of values of each feature, by kind of game."""
NO_SKAT: Final = 4
"""The class of the skat's points in a hand game, in which it does not know it."""
MAX_GAP: Final = 4
_BYTES: Final = np.arange(256)


def _gap(byte: int) -> int:
    """The gap of a suit in null: by how many cards the missing ones below a card outnumber those held below it."""
    ranks = [place for place, letter in enumerate(NULL_RANKS) if byte >> "789TJQKA".index(letter) & 1]
    return min(max((rank - 2 * below for below, rank in enumerate(ranks)), default=0), MAX_GAP)


GAPS: Final = np.array([_gap(byte) for byte in range(256)])
"""The gap of a suit in null by its byte, int64 [256]."""
_LENGTH: Final = np.bitwise_count(_BYTES & ~(1 << JACK)).astype(np.int64)
_POINTS: Final = np.array(
    [sum(CARD_POINTS[rank] for rank in range(8) if byte >> rank & 1) for byte in range(256)]
)
_SKAT_CLASSES: Final = np.array([0, 5, 11, 17])
"""The least card points of each class of the skat."""
_BID_CLASSES: Final = np.array([0, 18, 22, 27, 36])
"""The least bid in points of each class of the others' bids; class 0 is none."""


def kind_of(contract: int) -> str:
    """The kind of game of a contract: `suit`, `grand` or `null`."""
    return "suit" if contract < Contract.GRAND else "grand" if contract == Contract.GRAND else "null"


def features(
    contract: int,
    hands: Masks,
    skats: Masks | None,
    forehand: NDArray[np.bool_],
    bids: Ints,
    ouvert: bool = False,
) -> Ints:
    """The features of hands for a contract, int64 [n, features].

    Args:
        contract: one of `Contract`.
        hands: uint32 [n], the ten cards before the first is played.
        skats: uint32 [n], the two discards; None: hand games.
        forehand: bool [n], whether the soloist is in forehand.
        bids: int64 [n], the highest bid of the other two in points; 0: none.
        ouvert: whether a null game is ouvert.
    """
    suits = [(hands >> np.uint32(8 * suit) & np.uint32(255)).astype(np.int64) for suit in range(4)]
    bid = np.searchsorted(_BID_CLASSES, bids, side="right") - 1
    first = forehand.astype(np.int64)
    odds = np.where(
        forehand, *(_odds(contract, hands, skats, leads, ouvert) for leads in (True, False))
    ).astype(np.int64)
    if contract == Contract.NULL:
        gaps = -np.sort(-np.stack([GAPS[byte] for byte in suits], axis=1), axis=1)
        code = gaps @ np.array([125, 25, 5, 1])
        free = np.minimum(sum((byte == 0).astype(np.int64) for byte in suits), 3)
        return np.stack([odds, code, free, first, bid], axis=1)
    plain = [byte for suit, byte in enumerate(suits) if suit != contract]
    jacks = sum((byte >> JACK & 1) << suit for suit, byte in enumerate(suits))
    aces = sum(byte >> ACE & 1 for byte in plain)
    tens = sum(byte >> TEN & 1 for byte in plain)
    if skats is None:
        points = np.full(len(hands), NO_SKAT)
    else:
        total = sum(
            _POINTS[(skats >> np.uint32(8 * suit) & np.uint32(255)).astype(np.int64)] for suit in range(4)
        )
        points = np.searchsorted(_SKAT_CLASSES, total, side="right") - 1
    if contract == Contract.GRAND:
        return np.stack([odds, jacks, aces, tens, first, points, bid], axis=1)
    trumps = np.bitwise_count(jacks).astype(np.int64) + _LENGTH[suits[contract]]
    free = np.minimum(sum((_LENGTH[byte] == 0).astype(np.int64) for byte in plain), 3)
    return np.stack([odds, trumps, jacks, aces, tens, free, first, points, bid], axis=1)


def _odds(contract: int, hands: Masks, skats: Masks | None, forehand: bool, ouvert: bool) -> Ints:
    """The class of each hand's log-odds, int64 [n]."""
    if contract == Contract.NULL:
        chances = np.empty((2, len(hands)), np.float32)
        null_logits(hands, EVALUATOR.null[int(forehand)], chances)
        found: Ints = np.searchsorted(NULL_CLASSES, chances[int(ouvert)], side="right")
        return found
    table = EVALUATOR.win
    logits = np.empty((5, len(hands)), np.float32)
    constant = table.constant[int(forehand), int(skats is None)]
    trump_logits(
        hands,
        skats,
        table.plain,
        table.trump,
        table.jacks,
        table.length,
        constant,
        table.skat_points,
        logits,
    )
    classes = np.floor((logits[contract].astype(np.float64) - LEAST_ODDS) * PER_ODDS)
    found = np.clip(classes, 0, CLASSES - 1).astype(np.int64)
    return found


def addresses(kind: str, rows: Ints) -> Ints:
    """The address of each row of features, int64 [n]: different rows have different addresses."""
    address = np.zeros(len(rows), np.int64)
    for column, size in enumerate(FEATURES[kind].values()):
        address = address * size + rows[:, column]
    return address


def leading(kind: str, address: Ints, known: int) -> Ints:
    """The addresses of the first features alone, int64 [n]: as if the others had one value only."""
    return address // rest(kind, known)


def rest(kind: str, known: int) -> int:
    """The number of full addresses that the first features have in common."""
    return prod(list(FEATURES[kind].values())[known:])
