"""Winning probabilities of many hands at once: features by byte tables, chances by perfectly addressed arrays."""

from itertools import product

cimport cython
from libc.math cimport floor
from libc.stdint cimport int32_t, int64_t, uint32_t

import numpy as np

from skat_env._bits cimport popcount
from skat_env.skat._rules cimport GRAND_CONTRACT, NULL_CONTRACT, points_of

cdef enum:
    SUITS = 4
    PLAIN = 0xEF        # the ranks of a suit but the jack
    ACE = 7
    TEN = 3
    CLASSES = 24        # of log-odds
    TRUMPS = 12         # 0..11, and so on: the number of values of each feature
    JACK_SETS = 16
    SUIT_ACES = 4       # of the three plain suits, as of tens
    GRAND_ACES = 5
    FREE = 4
    SKATS = 5
    NO_SKAT = 4
    GAPS = 5            # of a suit in null
    GAP_CODES = 625     # of four suits

cdef uint32_t JACKS = 0x10101010

SHAPES = [(2, 256), (256,), (2, 16), (12,), (2, 2, 2), (2,), (2, 2, 256), (CLASSES - 1,), (256,)]


@cython.final
cdef class WinningLookup:
    """The chances of one variant and the byte tables of the features; the .pyi has the arguments."""

    cdef const double[:, ::1] _wide         # [outcomes, first]: where nothing more is known
    cdef const int32_t[::1] _block          # [first]: the block of the first features, or -1
    cdef const double[:, :, ::1] _blocks    # [outcomes, blocks, rest]
    cdef const float[:, ::1] _plain, _jacks
    cdef const float[::1] _trump, _length, _skat_points
    cdef const float[:, :, ::1] _constant, _safety
    cdef const float[::1] _null_classes
    cdef const int64_t[::1] _gaps
    cdef int _sorted[GAP_CODES]     # the code of four gaps in descending order, by the code of any order
    cdef double _least, _per_odds   # of the classes of log-odds: where they begin, and how many to 1

    def __init__(
        self, const double[:, ::1] wide not None, const int32_t[::1] block not None,
        const double[:, :, ::1] blocks not None, tuple win not None, const float[:, :, ::1] safety not None,
        const float[::1] null_classes not None, const int64_t[::1] gaps not None, double least, double per_odds,
    ):
        if (
            wide.shape[1] != block.shape[0] or blocks.shape[0] != wide.shape[0]
            or not -1 <= np.min(block, initial=-1) <= np.max(block, initial=-1) < blocks.shape[1]
        ):
            raise ValueError(f"{wide.shape[1]} chances and {block.shape[0]} blocks that do not fit together")
        self._plain, self._trump, self._jacks, self._length, self._constant, self._skat_points = win
        shapes = [tuple(np.shape(table)) for table in (*win, safety, null_classes, gaps)]
        if shapes != SHAPES:
            raise ValueError(f"tables of features of the shapes {shapes}: expected {SHAPES}")
        if min(gaps) < 0 or max(gaps) >= GAPS:
            raise ValueError(f"gaps from {min(gaps)} to {max(gaps)}: expected 0 to {GAPS - 1}")
        self._wide, self._block, self._blocks = wide, block, blocks
        self._safety, self._null_classes, self._gaps = safety, null_classes, gaps
        self._least, self._per_odds = least, per_odds
        for number, of_suits in enumerate(product(range(GAPS), repeat=SUITS)):
            code = 0
            for gap in sorted(of_suits, reverse=True):
                code = code * GAPS + gap
            self._sorted[number] = code

    def look_up(
        self, int contract, const uint32_t[::1] hands not None, const uint32_t[::1] skats, bint forehand, bint ouvert,
        int outcome, bint practical, double[::1] out not None,
    ):
        """Writes a chance for each hand, float64 [n]; the .pyi has the arguments."""
        cdef Py_ssize_t i
        cdef int first = CLASSES * GAP_CODES, rest = FREE * 2
        if contract < GRAND_CONTRACT:
            first, rest = CLASSES * TRUMPS * JACK_SETS * SUIT_ACES * SUIT_ACES, FREE * 2 * SKATS
        elif contract == GRAND_CONTRACT:
            first, rest = CLASSES * JACK_SETS * GRAND_ACES * GRAND_ACES, 2 * SKATS
        if not 0 <= contract <= NULL_CONTRACT or self._wide.shape[1] != first or self._blocks.shape[2] != rest:
            raise ValueError(f"contract {contract}: the chances are of another kind of game")
        if out.shape[0] != hands.shape[0] or (skats is not None and skats.shape[0] != hands.shape[0]):
            raise ValueError(f"{hands.shape[0]} hands: expected as many skats and chances")
        if not 0 <= outcome < self._wide.shape[0]:
            raise ValueError(f"outcome {outcome}: expected a number below {self._wide.shape[0]}")
        with nogil:
            for i in range(hands.shape[0]):
                if practical and skats is not None and _wasteful(contract, hands[i], skats[i]):
                    out[i] = 0
                elif contract == NULL_CONTRACT:
                    out[i] = self._null_chance(hands[i], forehand, ouvert, outcome)
                else:
                    out[i] = self._trump_chance(
                        contract, hands[i], -1 if skats is None else points_of(skats[i]), forehand, outcome
                    )

    cdef inline double _at(self, int outcome, int first, int rest) noexcept nogil:
        cdef int block = self._block[first]
        return self._wide[outcome, first] if block < 0 else self._blocks[outcome, block, rest]

    cdef inline double _trump_chance(
        self, int contract, uint32_t hand, int points, bint forehand, int outcome
    ) noexcept nogil:
        cdef int suit, byte, row, free = 0, aces = 0, tens = 0, trumps = 0
        cdef bint grand = contract == GRAND_CONTRACT
        cdef int jacks = hand >> 4 & 1 | hand >> 11 & 2 | hand >> 18 & 4 | hand >> 25 & 8
        cdef float odds, of_suits = self._plain[grand, hand & 255]
        for suit in range(SUITS):
            byte = hand >> 8 * suit & 255
            if suit != contract:
                aces += byte >> ACE & 1
                tens += byte >> TEN & 1
                free += byte & PLAIN == 0
            if suit > 0:
                of_suits = of_suits + self._plain[grand, byte]
        # In the order of the rule player's kernel, `trump_logits`.
        odds = self._jacks[grand, jacks] + self._constant[forehand, points < 0, grand]
        if points >= 0:
            odds = odds + self._skat_points[grand] * <float>points
        odds = odds + of_suits
        if not grand:
            byte = hand >> 8 * contract & 255
            trumps = popcount(jacks) + popcount(byte & PLAIN)
            odds = odds - self._plain[0, byte] + self._trump[byte] + self._length[trumps]
        row = max(0, min(CLASSES - 1, <int>floor((<double>odds - self._least) * self._per_odds)))
        points = NO_SKAT if points < 0 else (points >= 5) + (points >= 11) + (points >= 17)
        if grand:
            row = ((row * JACK_SETS + jacks) * GRAND_ACES + aces) * GRAND_ACES + tens
            return self._at(outcome, row, forehand * SKATS + points)
        row = (((row * TRUMPS + trumps) * JACK_SETS + jacks) * SUIT_ACES + aces) * SUIT_ACES + tens
        return self._at(outcome, row, (min(free, FREE - 1) * 2 + forehand) * SKATS + points)

    cdef inline double _null_chance(self, uint32_t hand, bint forehand, bint ouvert, int outcome) noexcept nogil:
        cdef int suit, byte, at, odds = 0, code = 0, free = 0
        cdef float log_chance = 0
        for suit in range(SUITS):
            byte = hand >> 8 * suit & 255
            free += byte == 0
            code = code * GAPS + <int>self._gaps[byte]
            log_chance = log_chance + self._safety[forehand, ouvert, byte]
        for at in range(CLASSES - 1):
            odds += log_chance >= self._null_classes[at]
        return self._at(outcome, odds * GAP_CODES + self._sorted[code], min(free, FREE - 1) * 2 + forehand)


cdef inline bint _wasteful(int contract, uint32_t hand, uint32_t skat) noexcept nogil:
    """Whether a trump is discarded though two plain cards could be."""
    cdef uint32_t trumps = JACKS
    if contract == NULL_CONTRACT:
        return False
    if contract != GRAND_CONTRACT:
        trumps |= <uint32_t>255 << 8 * contract
    return skat & trumps and popcount((hand | skat) & ~trumps) >= 2
