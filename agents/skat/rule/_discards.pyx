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


def all_discards(uint32_t hand):
    if popcount(hand) != HAND:
        raise ValueError(f"a hand has {popcount(hand)} cards: expected {HAND}")
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
    skats, hands, laid = all_discards(hand)
    cdef Event of_win, of_schneider
    read_event(&of_win, win)
    read_event(&of_schneider, schneider)
    if safety.shape[0] != NULL_GAMES or safety.shape[1] != 256:
        raise ValueError(f"safeties of {safety.shape[0]} games and {safety.shape[1]} suits: expected 2 and 256")
    won, made = np.empty((TRUMP_GAMES + NULL_GAMES, SKATS), np.float32), np.empty((TRUMP_GAMES, SKATS), np.float32)
    cdef const uint32_t[:, ::1] kept = hands
    cdef const uint32_t[:, ::1] given = laid
    cdef float[:, ::1] wins = won
    cdef float[:, ::1] schneiders = made
    cdef float best[TRUMP_GAMES + NULL_GAMES]
    cdef float found[TRUMP_GAMES]
    cdef int at[TRUMP_GAMES]
    cdef float odds
    cdef int row, column, game
    with nogil:
        for row in range(SKATS):
            for game in range(TRUMP_GAMES + NULL_GAMES):
                best[game] = -INFINITY
            for column in range(DISCARDS):
                log_odds(&of_win, kept[row, column], points_of(given[row, column]), found)
                for game in range(TRUMP_GAMES):
                    if found[game] > best[game]:
                        best[game], at[game] = found[game], column
                for game in range(NULL_GAMES):
                    odds = null_log_odds(&safety[game, 0], kept[row, column])
                    if odds > best[TRUMP_GAMES + game]:
                        best[TRUMP_GAMES + game] = odds
            for game in range(TRUMP_GAMES + NULL_GAMES):
                wins[game, row] = best[game]
            for game in range(TRUMP_GAMES):
                log_odds(&of_schneider, kept[row, at[game]], points_of(given[row, at[game]]), found)
                schneiders[game, row] = found[game]
    return skats, won, made
