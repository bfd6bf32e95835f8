"""The chance to win a contract with ten cards, from features of the hand (Gößl; Edelkamp 2020, section 3).

Suit games and grand: the log-odds are a sum over the features that Gößl names: the pattern of jacks, the number
of trumps, trump ace and ten, the holding in each plain suit (which covers free suits, standing cards and losers),
the points in the skat, and who leads. Null: the product of the safeties of the four suits.
The coefficients in `hand_table.py` are fitted to games of this agent by `benchmarks/fit_rule_hand.py`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from agents.skat.rule import hand_table
from skat_env.skat.rules import BASE_VALUES, CARD_POINTS

Masks = NDArray[np.uint32]
Floats = NDArray[np.floating]

JACKS_MASK = 0x10101010
_BYTES = np.arange(256)
HOLDING: NDArray[np.intp] = (
    (_BYTES >> 7 & 1) * 32
    + (_BYTES >> 3 & 1) * 16
    + (_BYTES >> 6 & 1) * 8
    + (_BYTES >> 5 & 1) * 4
    + np.bitwise_count(_BYTES & 7)
)
"""The class 0..63 of a plain suit by its byte: ace, ten, king, queen, and the number of 9 8 7."""
POINTS: Floats = np.array(
    [sum(CARD_POINTS[rank] for rank in range(8) if byte >> rank & 1) for byte in range(256)], dtype=np.float32
)
"""The card points of a suit by its byte."""


@dataclass(frozen=True, slots=True)
class TrumpTable:
    """Log-odds by feature; the chance of an event is the logistic function of their sum."""

    plain: tuple[float, ...]
    """For each plain suit, by `HOLDING`."""
    jacks: tuple[float, ...]
    """By the set of jacks held; clubs is the highest bit."""
    length: tuple[float, ...]
    """By the number of trumps, jacks included."""
    trump_ace: float
    trump_ten: float
    skat_points: float
    """For each ten card points in the skat."""
    forehand: float
    hand: float
    """For a hand game, where the skat is unknown."""


@dataclass(frozen=True, slots=True)
class NullTable:
    """Log-odds of the safety of a suit, which is the logistic function of their sum."""

    suit: tuple[float, ...]
    """By byte of the suit."""
    forehand: float
    ouvert: float


def _numbers(table: TrumpTable) -> tuple[Floats, Floats, Floats, Floats]:
    """A table as arrays: by byte of a plain suit, by byte of the trump suit, by jacks, by number of trumps."""
    trump = (_BYTES >> 7 & 1) * table.trump_ace + (_BYTES >> 3 & 1) * table.trump_ten
    arrays = np.array(table.plain)[HOLDING], trump, np.array(table.jacks), np.array(table.length)
    plain, trumps, jacks, length = (array.astype(np.float32) for array in arrays)
    return plain, trumps, jacks, length


def _log_logistic(logits: Floats) -> Floats:
    return -np.logaddexp(0, -logits).astype(np.float32)


def suits_of(masks: Masks) -> list[NDArray[np.intp]]:
    """The four suits of card masks, as bytes."""
    return [(masks >> 8 * suit & 255).astype(np.intp) for suit in range(4)]


def card_points(masks: Masks) -> Floats:
    """The card points of card masks."""
    diamonds, hearts, spades, clubs = suits_of(masks)
    return POINTS[diamonds] + POINTS[hearts] + POINTS[spades] + POINTS[clubs]


class HandEvaluator:
    """The chances of winning and of schneider for many hands at once."""

    def __init__(
        self, win: tuple[TrumpTable, TrumpTable], schneider: tuple[TrumpTable, TrumpTable], null: NullTable
    ) -> None:
        self._tables = (win, schneider)
        self._numbers = tuple(tuple(_numbers(table) for table in pair) for pair in self._tables)
        logits = np.array(null.suit)
        # The log safety of a suit by its byte, for each (ouvert, forehand).
        self._null = tuple(
            tuple(
                _log_logistic(logits + null.ouvert * ouvert + null.forehand * forehand) for forehand in (0, 1)
            )
            for ouvert in (0, 1)
        )

    def wins(self, hands: Masks, skats: Masks | None, forehand: bool) -> Floats:
        """The chances of winning the trump games D H S C grand, [5, n].

        `hands` have ten cards each, `skats` the two cards in the skat; None: hand games.
        """
        return self._trump_games(0, hands, skats, forehand)

    def schneiders(self, hands: Masks, skats: Masks | None, forehand: bool) -> Floats:
        """The chances of reaching 90 points, [5, n]."""
        return self._trump_games(1, hands, skats, forehand)

    def _trump_games(self, event: int, hands: Masks, skats: Masks | None, forehand: bool) -> Floats:
        suits = suits_of(hands)
        jacks = (hands >> 4 & 1 | hands >> 11 & 2 | hands >> 18 & 4 | hands >> 25 & 8).astype(np.intp)
        numbers_of_jacks = np.bitwise_count(jacks)
        tables, numbers = self._tables[event], self._numbers[event]
        logits = np.empty((5, len(hands)), dtype=np.float32)
        for grand in (False, True):
            table = tables[grand]
            plain, trump, by_jacks, by_length = numbers[grand]
            common = by_jacks[jacks] + np.float32(table.forehand * forehand + table.hand * (skats is None))
            if skats is not None:
                common += np.float32(table.skat_points / 10) * card_points(skats)
            by_suit = [plain[suit] for suit in suits]
            common += sum(by_suit)
            if grand:
                logits[4] = common
                continue
            for contract, suit in enumerate(suits):
                lengths = np.bitwise_count(suit & 0xEF) + numbers_of_jacks
                logits[contract] = common - by_suit[contract] + trump[suit] + by_length[lengths]
        chances: Floats = 1 / (1 + np.exp(-logits))
        return chances

    def nulls(self, hands: Masks, forehand: bool) -> Floats:
        """The chances of winning null and null ouvert, [2, n]."""
        suits = suits_of(hands)
        tables = (self._null[ouvert][forehand] for ouvert in (0, 1))
        chances: Floats = np.exp(np.stack([sum(table[suit] for suit in suits) for table in tables]))
        return chances


EVALUATOR = HandEvaluator(
    (TrumpTable(**hand_table.SUIT_WIN), TrumpTable(**hand_table.GRAND_WIN)),
    (TrumpTable(**hand_table.SUIT_SCHNEIDER), TrumpTable(**hand_table.GRAND_SCHNEIDER)),
    NullTable(**hand_table.NULL),
)


BASES: NDArray[np.int64] = np.array(BASE_VALUES)[:, None]
