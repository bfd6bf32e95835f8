"""Playing a game to its end at random."""

from libc.stdint cimport uint64_t

from skat_env._position cimport Kernel
from skat_env._random cimport random_bit


cdef inline int rollout(const Kernel* kernel, void* state, uint64_t* stream) noexcept nogil:
    """Plays uniformly random legal actions until the game is over; returns how many."""
    cdef int actions = 0
    cdef uint64_t legal = kernel.legal(state)
    while legal:
        kernel.push(state, random_bit(stream, legal))
        actions += 1
        legal = kernel.legal(state)
    return actions
