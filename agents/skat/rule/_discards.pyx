"""Every discard of ten cards with every skat, and the best of them; the .pyi has the words."""

from libc.math cimport INFINITY
from libc.stdint cimport uint32_t

import numpy as np

from skat_env._bits cimport popcount
from skat_env.agents.skat.rule._hand cimport (
    NULL_GAMES, TRUMP_GAMES, Event, log_odds, null_log_odds, read_event,
)
from skat_env.skat._rules cimport points_of

cdef enum:
    HAND = 10
    UNSEEN = 22
    TWELVE = 12
    SKATS = 231     # pairs of 22 cards
    DISCARDS = 66   # pairs of 12 cards


cdef void spread(uint32_t cards, uint32_t *out) noexcept nogil:
    """Writes each card of a set as a set of its own."""
    while cards:
        out[0] = cards & (0 - cards)
        cards ^= out[0]
        out += 1


cdef int require_hand(uint32_t hand) except -1:
    if popcount(hand) != HAND:
        raise ValueError(f"a hand has {popcount(hand)} cards: expected {HAND}")
    return 0


def all_discards(uint32_t hand):
    require_hand(hand)
    skats, hands, laid = (np.empty(shape, np.uint32) for shape in (SKATS, (SKATS, DISCARDS), (SKATS, DISCARDS)))
    cdef uint32_t[::1] skat = skats
    cdef uint32_t[:, ::1] kept = hands
    cdef uint32_t[:, ::1] given = laid
    cdef uint32_t unseen[UNSEEN]
    cdef uint32_t twelve[TWELVE]
    cdef int row = 0, column, i, j, a, b
    with nogil:
        spread(hand, twelve)
        spread(~hand, unseen)
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


def best_discards(uint32_t hand, win, schneider, const float[:, ::1] safety not None):
    require_hand(hand)
    cdef Event of_win, of_schneider
    read_event(&of_win, win)
    read_event(&of_schneider, schneider)
    if safety.shape[0] != NULL_GAMES or safety.shape[1] != 256:
        raise ValueError(f"safeties of {safety.shape[0]} games and {safety.shape[1]} suits: expected 2 and 256")
    skats = np.empty(SKATS, np.uint32)
    won, made = np.empty((TRUMP_GAMES + NULL_GAMES, SKATS), np.float32), np.empty((TRUMP_GAMES, SKATS), np.float32)
    cdef uint32_t[::1] skat = skats
    cdef float[:, ::1] best_odds = won
    cdef float[:, ::1] schneiders = made
    cdef uint32_t unseen[UNSEEN]
    cdef uint32_t twelve[TWELVE]
    cdef float points[TWELVE]
    cdef float found[TRUMP_GAMES]
    cdef float best[TRUMP_GAMES + NULL_GAMES]
    cdef float of_skat[TRUMP_GAMES]
    cdef uint32_t kept[TRUMP_GAMES]
    cdef uint32_t cards, left
    cdef float odds, laid
    cdef int row = 0, game, i, j, a, b
    with nogil:
        spread(hand, twelve)
        spread(~hand, unseen)
        for a in range(UNSEEN):
            for b in range(a + 1, UNSEEN):
                twelve[HAND], twelve[HAND + 1] = unseen[a], unseen[b]
                skat[row] = unseen[a] | unseen[b]
                cards = hand | skat[row]
                for i in range(TWELVE):
                    points[i] = points_of(twelve[i])
                for game in range(TRUMP_GAMES + NULL_GAMES):
                    best[game] = -INFINITY
                for i in range(TWELVE):
                    for j in range(i + 1, TWELVE):
                        left, laid = cards & ~(twelve[i] | twelve[j]), points[i] + points[j]
                        log_odds(&of_win, left, laid, found)
                        for game in range(TRUMP_GAMES):
                            if found[game] > best[game]:
                                best[game], kept[game], of_skat[game] = found[game], left, laid
                        for game in range(NULL_GAMES):
                            odds = null_log_odds(&safety[game, 0], left)
                            if odds > best[TRUMP_GAMES + game]:
                                best[TRUMP_GAMES + game] = odds
                for game in range(TRUMP_GAMES + NULL_GAMES):
                    best_odds[game, row] = best[game]
                for game in range(TRUMP_GAMES):
                    log_odds(&of_schneider, kept[game], of_skat[game], found)
                    schneiders[game, row] = found[game]
                row += 1
    return skats, won, made
