"""Pareto fronts of vectors of outcomes."""

from libc.stdint cimport uint64_t

from skat_env.agents.search.outcomes._outcomes cimport OutcomeWorlds


ctypedef struct Front:
    # Vectors none of which is at least as good as another everywhere.
    uint64_t* bits          # `words` words a vector
    int count
    int room


ctypedef struct Above:
    # An own choice above a node, and the vectors found there so far.
    const Front* found
    const uint64_t* dims    # the outcomes that can be had there
    const Above* up         # the own choice above it, or NULL


cdef class FrontTree(OutcomeWorlds):
    cdef readonly uint64_t cuts
    cdef readonly int largest   # vectors of the largest front
    cdef double need            # the sum below which the result of a search is of no interest

    cdef int add(self, Front* front, const uint64_t* v) noexcept nogil
    cdef bint fits(self, const uint64_t* x, const Above* above) noexcept nogil
    cdef bint useful(
        self, const uint64_t* v, const uint64_t* bound, const Front* contexts, const Above* above
    ) noexcept nogil
    cdef int narrowed(
        self, const uint64_t* v, const uint64_t* bound, const Front* contexts, const Above* above, Front* out
    ) noexcept nogil
    cdef int search(
        self, const uint64_t* dims, const uint64_t* bound, int m, const Front* contexts, const Above* above, Front* out
    ) noexcept nogil
    cdef int choose(
        self, const uint64_t* dims, const uint64_t* bound, int m, const Front* contexts, const Above* above, Front* out
    ) noexcept nogil
    cdef int oppose(
        self, const uint64_t* dims, const uint64_t* bound, int m, const Front* contexts, const Above* above, Front* out
    ) noexcept nogil
    cdef int help(
        self, const uint64_t* dims, const uint64_t* bound, int m, const Front* contexts, const Above* above, Front* out
    ) noexcept nogil
