"""The multipliers of games by the cards that count for the matadors."""

from libc.stdint cimport int64_t, uint32_t
from libc.stdlib cimport abs

import numpy as np

from skat_env.skat._rules cimport GRAND_CONTRACT, matadors


def game_levels(const uint32_t[::1] cards not None):
    """The multipliers (matadors + 1) of the games D H S C grand with each set of cards, int64 [5, n]."""
    levels = np.empty((GRAND_CONTRACT + 1, cards.shape[0]), np.int64)
    cdef int64_t[:, ::1] out = levels
    cdef Py_ssize_t i
    cdef int contract
    with nogil:
        for contract in range(GRAND_CONTRACT + 1):
            for i in range(cards.shape[0]):
                out[contract, i] = abs(matadors(cards[i], contract)) + 1
    return levels
