"""Whole random games in C, for measuring the core and for tests."""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from skat_env._position cimport Position

from collections.abc import Sequence

import numpy as np

from skat_env.options import Count, Seed, check_option


def random_games(Position prototype not None, games, seed):
    """Deals and plays games at random, under the rules of a prototype.

    Returns the number of actions played, and the returns as int32 [games, seats] in the game's default unit.
    """
    cdef int count = check_option("random_games", "games", Count, games)
    seed = check_option("random_games", "seed", Seed | Sequence[Seed], seed)
    cdef uint64_t stream = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    cdef void* state = malloc(prototype.kernel.size)
    cdef long actions = 0
    cdef int game
    results = np.zeros((count, prototype.kernel.seats), np.int32)
    cdef int32_t[:, ::1] out = results
    if not state:
        raise MemoryError()
    with nogil:
        for game in range(count):
            memcpy(state, prototype.data, prototype.kernel.size)
            prototype.kernel.deal(state, &stream)
            actions += prototype.kernel.rollout(state, &stream)
            prototype.kernel.returns(state, 0, &out[game, 0])
    free(state)
    return actions, results
