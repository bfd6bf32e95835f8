"""Sets of cards as bits of one word, and the clock of the limits."""

from libc.stdint cimport uint32_t, uint64_t
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec


cdef extern from *:
    int leading_zeros "__builtin_clz"(uint32_t) noexcept nogil
    int leading_zeros_64 "__builtin_clzll"(uint64_t) noexcept nogil


cdef inline double now() noexcept nogil:
    """Seconds on the monotonic clock."""
    cdef timespec t
    clock_gettime(CLOCK_MONOTONIC, &t)
    return t.tv_sec + 1e-9 * t.tv_nsec


cdef inline uint32_t bit(int card) noexcept nogil:
    return <uint32_t>1 << card


cdef inline uint32_t below(int card) noexcept nogil:
    return (<uint32_t>1 << card) - 1


cdef inline uint32_t above(int card) noexcept nogil:
    return (<uint32_t>0xFFFFFFFE) << card


cdef inline int top(uint32_t mask) noexcept nogil:
    return 31 - leading_zeros(mask)


cdef inline uint32_t run_of(uint32_t hand, uint32_t others, uint32_t group, int card) noexcept nogil:
    """The cards of the hand next to a card, nothing of the others between."""
    cdef uint32_t higher = others & group & above(card)
    cdef uint32_t lower = others & group & below(card)
    cdef uint32_t run = hand & group
    if higher:
        run &= (higher & (0 - higher)) - 1
    if lower:
        run &= above(top(lower))
    return run
