"""The chance to win a contract with ten cards, from features of the hand (Gößl; Edelkamp 2020, section 3).

Suit games and grand: the log-odds are a sum over the features that Gößl names: the pattern of jacks, the number
of trumps, trump ace and ten, the holding in each plain suit (which covers free suits, standing cards and losers),
the points in the skat, and who leads. Null: the product of the safeties of the four suits.
The coefficients in `hand_table.py` are fitted to games of this agent by `benchmarks/make/fit_rule_hand.py`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat.rule import hand_table
from skat_env.agents.skat.rule._discards import best_discards
from skat_env.agents.skat.rule._hand import null_logits, trump_logits
from skat_env.agents.skat.rule.best_discards import BestDiscards, Floats, Masks
from skat_env.skat.rules import CARD_POINTS

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


@dataclass(frozen=True, slots=True, eq=False)
class EventTables:
    """The tables of an event as arrays in single precision, for suit games and for grand."""

    plain: Floats
    """[2, 256]: by byte of a plain suit."""
    trump: Floats
    """[256]: by byte of the trump suit."""
    jacks: Floats
    """[2, 16]: by the jacks held."""
    length: Floats
    """[12]: by the number of trumps."""
    constant: Floats
    """[2, 2, 2]: by whether the seat leads, and whether it plays hand."""
    skat_points: Floats
    """[2]: for each card point in the skat."""

    @staticmethod
    def of(pair: tuple[TrumpTable, TrumpTable]) -> "EventTables":
        """The arrays of the tables for suit games and grand."""
        suit = pair[0]
        trump = (_BYTES >> 7 & 1) * suit.trump_ace + (_BYTES >> 3 & 1) * suit.trump_ten
        constant = [[[t.forehand * f + t.hand * h for t in pair] for h in (0, 1)] for f in (0, 1)]
        arrays = (
            np.array([table.plain for table in pair])[:, HOLDING],
            trump,
            [table.jacks for table in pair],
            suit.length,
            constant,
            [table.skat_points / 10 for table in pair],
        )
        return EventTables(*(np.ascontiguousarray(array, np.float32) for array in arrays))

    def at(self, forehand: bool, hand: bool) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats]:
        """The tables of a seat in the order in which kernels take them."""
        constant = self.constant[int(forehand), int(hand)]
        return self.plain, self.trump, self.jacks, self.length, constant, self.skat_points


def _log_logistic(logits: Floats) -> Floats:
    return -np.logaddexp(0, -logits).astype(np.float32)


class HandEvaluator:
    """The chances of winning and of schneider for many hands at once."""

    def __init__(
        self, win: tuple[TrumpTable, TrumpTable], schneider: tuple[TrumpTable, TrumpTable], null: NullTable
    ) -> None:
        self.win, self.schneider = EventTables.of(win), EventTables.of(schneider)
        logits = np.array(null.suit)
        self.null = np.stack(
            [
                [_log_logistic(logits + null.ouvert * ouvert + null.forehand * first) for ouvert in (0, 1)]
                for first in (0, 1)
            ]
        )
        """The log safety of a suit, float32 [2, 2, 256]: by whether the seat leads, null or null ouvert, and byte."""

    def wins(self, hands: Masks, skats: Masks | None, forehand: bool) -> Floats:
        """The chances of winning the trump games D H S C grand, [5, n].

        `hands` have ten cards each, `skats` the two cards in the skat; None: hand games.
        """
        return _trump_games(self.win, hands, skats, forehand)

    def schneiders(self, hands: Masks, skats: Masks | None, forehand: bool) -> Floats:
        """The chances of reaching 90 points, [5, n]."""
        return _trump_games(self.schneider, hands, skats, forehand)

    def nulls(self, hands: Masks, skats: Masks | None, forehand: bool) -> Floats:
        """The chances of winning null and null ouvert, [2, n]; they are the same by hand."""
        logits = np.empty((2, len(hands)), np.float32)
        null_logits(hands, self.null[int(forehand)], logits)
        return np.exp(logits, out=logits)

    def best_discards(self, hand: int, forehand: bool) -> BestDiscards:
        """The best discards of ten cards, of equal log-odds the first."""
        skats, win, schneider = best_discards(
            hand, self.win.at(forehand, False), self.schneider.at(forehand, False), self.null[int(forehand)]
        )
        _logistic(win[:5])
        np.exp(win[5:], out=win[5:])
        return BestDiscards(skats, win, _logistic(schneider))


def _trump_games(tables: EventTables, hands: Masks, skats: Masks | None, forehand: bool) -> Floats:
    logits = np.empty((5, len(hands)), np.float32)
    trump_logits(hands, skats, *tables.at(forehand, skats is None), logits)
    return _logistic(logits)


def _logistic(logits: Floats) -> Floats:
    """The logistic function, in place."""
    np.negative(logits, out=logits)
    np.exp(logits, out=logits)
    logits += 1
    return np.divide(1, logits, out=logits)


EVALUATOR = HandEvaluator(
    (TrumpTable(**hand_table.SUIT_WIN), TrumpTable(**hand_table.GRAND_WIN)),
    (TrumpTable(**hand_table.SUIT_SCHNEIDER), TrumpTable(**hand_table.GRAND_SCHNEIDER)),
    NullTable(**hand_table.NULL),
)
