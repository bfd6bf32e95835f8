"""Trees of what a set of worlds come to."""

from libc.stdint cimport uint64_t

from skat_env.agents.search.outcomes._fronts cimport FrontTree

cdef enum:  # how vectors are backed up
    VECTOR              # own moves: the vector with the largest sum; others see all cards
    REDUCED             # the same, of outcomes that no node above has ruled out
    POSTPONED           # each seat chooses by what it sees, for the sum over the worlds that look the same to it


cdef class OutcomeTree(FrontTree):
    cdef int back_up(self, const uint64_t* dims, int rule, int left, uint64_t* out) noexcept nogil
    cdef int back_up_groups(
        self, const uint64_t* dims, int seat, uint64_t legal, const uint64_t* by_action, const uint64_t* values,
        uint64_t* out
    ) noexcept nogil
