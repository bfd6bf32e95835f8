"""Winning probabilities of many hands at once: features by byte tables, entries by one hash table of all tables."""

from itertools import product

cimport cython
from libc.math cimport floor
from libc.stdint cimport int64_t, uint32_t

import numpy as np

from skat_env._bits cimport popcount
from skat_env.skat._rules cimport GRAND_CONTRACT, NULL_CONTRACT, points_of

cdef enum:
    SUITS = 4
    PLAIN = 0xEF        # the ranks of a suit but the jack
    ACE = 7
    TEN = 3
    MAX_FREE = 3
    MAX_STANDING = 23
    NO_SKAT = 4
    MOST_FEATURES = 9
    GAPS = 5            # the gaps of a suit in null: 0..4
    GAP_CODES = 625     # those of four suits

cdef uint32_t JACKS = 0x10101010


@cython.final
cdef class WinningLookup:
    """The entries of all tables and the byte tables of the features; the .pyi has the arguments."""

    cdef uint32_t[::1] _keys        # [2^k]: key + 1 in the slot of an entry; 0: free
    cdef double[:, ::1] _chances    # [2^k, outcomes]
    cdef int _shift                 # 32 - k
    cdef const double[:, ::1] _standing
    cdef const double[::1] _trumps
    cdef const int64_t[::1] _gaps
    cdef int64_t _sorted[GAP_CODES]     # the code of four gaps in descending order, by the code of any order

    def __init__(
        self, const uint32_t[::1] keys not None, const double[:, ::1] chances not None,
        const double[:, ::1] standing not None, const double[::1] trumps not None, const int64_t[::1] gaps not None,
    ):
        cdef Py_ssize_t i
        cdef uint32_t slot
        if chances.shape[0] != keys.shape[0]:
            raise ValueError(f"{keys.shape[0]} keys and {chances.shape[0]} chances: expected equal numbers")
        if standing.shape[0] != 2 or standing.shape[1] != 256 or trumps.shape[0] != 256 or gaps.shape[0] != 256:
            raise ValueError("byte tables of another size: expected [2, 256], [256] and [256]")
        # At most half of the slots are taken, so that a search ends after a step or two.
        self._shift = 31 - max(1, int(keys.shape[0]).bit_length())
        slots = 1 << (32 - self._shift)
        self._keys, self._chances = np.zeros(slots, np.uint32), np.zeros((slots, chances.shape[1]))
        self._standing, self._trumps, self._gaps = standing, trumps, gaps
        for i in range(256):
            if not 0 <= gaps[i] < GAPS:
                raise ValueError(f"gap {gaps[i]} of byte {i}: expected 0 to {GAPS - 1}")
        for i, of_suits in enumerate(product(range(GAPS), repeat=SUITS)):
            code = 0
            for gap in sorted(of_suits, reverse=True):
                code = code * GAPS + gap
            self._sorted[i] = code
        for i in range(keys.shape[0]):
            if keys[i] + <uint32_t>1 == 0:
                raise ValueError("a key that is no number below 2^32 - 1")
            slot = self._slot(keys[i] + 1)
            self._keys[slot] = keys[i] + 1
            self._chances[slot] = chances[i]

    def look_up(
        self, int contract, const uint32_t[::1] hands not None, const uint32_t[::1] skats, bint forehand, int bid,
        const int64_t[::1] sizes not None, const uint32_t[::1] tables not None, const uint32_t[::1] rests not None,
        int outcome, bint practical, double[::1] out not None,
    ):
        """Writes a chance for each hand, float64 [n]; the .pyi has the arguments."""
        cdef Py_ssize_t i
        if out.shape[0] != hands.shape[0] or (skats is not None and skats.shape[0] != hands.shape[0]):
            raise ValueError(f"{hands.shape[0]} hands: expected as many skats and chances")
        if tables.shape[0] != rests.shape[0] or sizes.shape[0] > MOST_FEATURES or not 0 <= contract <= NULL_CONTRACT:
            raise ValueError(f"contract {contract}, {sizes.shape[0]} features, {tables.shape[0]} tables do not fit")
        if not 0 <= outcome < self._chances.shape[1]:
            raise ValueError(f"outcome {outcome}: expected a number below {self._chances.shape[1]}")
        with nogil:
            for i in range(hands.shape[0]):
                if practical and skats is not None and _wasteful(contract, hands[i], skats[i]):
                    out[i] = 0
                else:
                    out[i] = self._chance(
                        contract, hands[i], -1 if skats is None else points_of(skats[i]), forehand, bid, sizes, tables,
                        rests, outcome,
                    )

    cdef double _chance(
        self, int contract, uint32_t hand, int points, bint forehand, int bid, const int64_t[::1] sizes,
        const uint32_t[::1] tables, const uint32_t[::1] rests, int outcome,
    ) noexcept nogil:
        """The chance of one hand: of the deepest entry that was seen; 0 without any."""
        cdef int64_t row[MOST_FEATURES]
        cdef uint32_t address = 0
        cdef uint32_t key, slot
        cdef Py_ssize_t at
        if contract == NULL_CONTRACT:
            self._null_features(hand, forehand, bid, row)
        else:
            self._trump_features(contract, hand, points, forehand, bid, row)
        for at in range(sizes.shape[0]):
            address = address * <uint32_t>sizes[at] + <uint32_t>row[at]
        for at in range(tables.shape[0]):
            key = (tables[at] | address // rests[at]) + 1
            slot = self._slot(key)
            if self._keys[slot] == key:
                return self._chances[slot, outcome]
        return 0

    cdef inline uint32_t _slot(self, uint32_t key) noexcept nogil:
        """The slot of a key, or the free one where it would be."""
        cdef uint32_t last = <uint32_t>(self._keys.shape[0] - 1)
        # Fibonacci hashing: neighbours fall far apart.
        cdef uint32_t slot = key * <uint32_t>2654435769 >> self._shift
        while self._keys[slot] != key and self._keys[slot] != 0:
            slot = slot + 1 & last
        return slot

    cdef inline void _trump_features(
        self, int contract, uint32_t hand, int points, bint forehand, int bid, int64_t* row
    ) noexcept nogil:
        cdef int suit, byte, free = 0, aces = 0, tens = 0
        cdef bint grand = contract == GRAND_CONTRACT
        cdef double odds = 0
        cdef int jacks = hand >> 4 & 1 | hand >> 11 & 2 | hand >> 18 & 4 | hand >> 25 & 8
        for suit in range(SUITS):
            if suit != contract:
                byte = hand >> 8 * suit & 255
                odds = odds + self._standing[grand, byte]
                aces += byte >> ACE & 1
                tens += byte >> TEN & 1
                free += byte & PLAIN == 0
        if not grand:
            odds = odds + self._trumps[hand >> 8 * contract & 255]
        # Classes of 0.5 from -9 on.
        row[0] = max(0, min(MAX_STANDING, <int64_t>floor((odds + 9) * 2)))
        points = NO_SKAT if points < 0 else (points >= 5) + (points >= 11) + (points >= 17)
        if grand:
            row[1], row[2], row[3], row[4], row[5], row[6] = jacks, aces, tens, forehand, points, bid
            return
        row[1] = popcount(jacks) + popcount(hand >> 8 * contract & PLAIN)
        row[2], row[3], row[4], row[5] = jacks, aces, tens, min(free, MAX_FREE)
        row[6], row[7], row[8] = forehand, points, bid

    cdef inline void _null_features(self, uint32_t hand, bint forehand, int bid, int64_t* row) noexcept nogil:
        cdef int suit, byte, code = 0, free = 0
        for suit in range(SUITS):
            byte = hand >> 8 * suit & 255
            free += byte == 0
            code = code * GAPS + <int>self._gaps[byte]
        row[0] = self._sorted[code]
        row[1], row[2], row[3] = min(free, MAX_FREE), forehand, bid


cdef inline bint _wasteful(int contract, uint32_t hand, uint32_t skat) noexcept nogil:
    """Whether a trump is discarded though two plain cards could be."""
    cdef uint32_t trumps = JACKS
    if contract == NULL_CONTRACT:
        return False
    if contract != GRAND_CONTRACT:
        trumps |= <uint32_t>255 << 8 * contract
    return skat & trumps and popcount((hand | skat) & ~trumps) >= 2
