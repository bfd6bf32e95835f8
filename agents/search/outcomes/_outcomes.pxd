"""The outcomes of a set of worlds: one bit for each outcome of each world, in vectors of 64-bit words."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from skat_env._bits cimport trailing_zeros
from skat_env.solvers._followed cimport FollowedWorlds
from skat_env.solvers._limits cimport Watch

cdef enum:  # the part of a seat
    OWN                 # it searches, and sees its own cards only
    PARTNER             # of its side
    OPPONENT


cdef inline int low_bit(uint64_t bits) noexcept nogil:
    return trailing_zeros(<uint32_t>bits) if <uint32_t>bits else 32 + trailing_zeros(<uint32_t>(bits >> 32))


cdef inline bint is_empty(const uint64_t* v, int words) noexcept nogil:
    cdef int i
    for i in range(words):
        if v[i]:
            return False
    return True


cdef class OutcomeWorlds:
    cdef FollowedWorlds worlds
    cdef int seats, levels, dims, words
    cdef int part[8]            # seat -> OWN, PARTNER, OPPONENT
    cdef int32_t* targets       # a target for each outcome
    cdef double* gains          # what it is worth: the weight of its world
    cdef bint reaching          # outcomes are had where the declaring side reaches the target; else where it misses it
    cdef readonly uint64_t nodes, asked
    cdef double deadline        # seconds on the monotonic clock; 0: none
    cdef Watch watch
    cdef readonly bint stopped  # the deadline has passed, or an exception waits: what was returned since is void
    cdef bint broke             # memory ran out

    cdef double sum_of(self, const uint64_t* v) noexcept nogil
    cdef int worlds_in(self, const uint64_t* dims) noexcept nogil
    cdef int first_world(self, const uint64_t* dims) noexcept nogil
    cdef void push(self, const uint64_t* dims, int action) noexcept nogil
    cdef void pop(self, const uint64_t* dims) noexcept nogil
    cdef void ask(self, const uint64_t* dims, uint64_t* out) noexcept nogil
    cdef uint64_t split(self, const uint64_t* dims, uint64_t* by_action, uint64_t* forced) noexcept nogil
    cdef bint must_stop(self) noexcept nogil
    cdef object rows(self, const uint64_t* bits, int count)
    cdef int check(self) except -1
