"""Every discard of ten cards with every skat; the .pyi has the words."""

from libc.stdint cimport uint32_t

import numpy as np

from skat_env._bits cimport popcount

cdef enum:
    HAND = 10
    UNSEEN = 22
    TWELVE = 12
    SKATS = 231     # pairs of 22 cards
    DISCARDS = 66   # pairs of 12 cards


def all_discards(uint32_t hand):
    if popcount(hand) != HAND:
        raise ValueError(f"a hand has {popcount(hand)} cards: expected {HAND}")
    skats, hands, laid = (np.empty(shape, np.uint32) for shape in (SKATS, (SKATS, DISCARDS), (SKATS, DISCARDS)))
    cdef uint32_t[::1] skat = skats
    cdef uint32_t[:, ::1] kept = hands
    cdef uint32_t[:, ::1] given = laid
    cdef uint32_t unseen[UNSEEN]
    cdef uint32_t twelve[TWELVE]
    cdef uint32_t cards, low
    cdef int row = 0, column, i, j, a, b
    with nogil:
        cards = hand
        for i in range(HAND):
            twelve[i] = low = cards & (0 - cards)
            cards ^= low
        cards = ~hand
        for i in range(UNSEEN):
            unseen[i] = low = cards & (0 - cards)
            cards ^= low
        for a in range(UNSEEN):
            for b in range(a + 1, UNSEEN):
                twelve[HAND], twelve[HAND + 1] = unseen[a], unseen[b]
                skat[row] = unseen[a] | unseen[b]
                column = 0
                for i in range(TWELVE):
                    for j in range(i + 1, TWELVE):
                        given[row, column] = twelve[i] | twelve[j]
                        kept[row, column] = (hand | skat[row]) & ~given[row, column]
                        column += 1
                row += 1
    return skats, hands, laid
