"""Trees of what a set of worlds come to: vectors of outcomes, one bit for each outcome of each world."""

from libc.stdint cimport int32_t, uint8_t, uint64_t

from skat_env.solvers._followed cimport FollowedWorlds

cdef enum:  # the part of a seat
    OWN                 # it searches, and sees its own cards only
    PARTNER             # of its side
    OPPONENT

cdef enum:  # how vectors are backed up
    VECTOR              # own moves: the vector with the largest sum; others see all cards
    REDUCED             # the same, of outcomes that no node above has ruled out
    POSTPONED           # each seat chooses by what it sees, for the sum over the worlds that look the same to it


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


cdef class OutcomeTree:
    cdef FollowedWorlds worlds
    cdef int seats, levels, dims, words
    cdef int part[8]            # seat -> OWN, PARTNER, OPPONENT
    cdef int32_t* targets       # a target for each outcome
    cdef double* gains          # what it is worth, weight of the world included
    cdef uint8_t* reaching      # a world's outcomes are had where the declaring side reaches its target (1) or misses it (0)
    cdef readonly uint64_t nodes, asked, cuts
    cdef readonly int largest   # vectors of the largest front
    cdef double need            # the sum below which the result of a search is of no interest
    cdef double deadline        # seconds on the monotonic clock; 0: none
    cdef double heard           # when signals are to be heard again
    cdef readonly bint stopped  # the deadline has passed, or an exception waits: what was returned since is void
    cdef bint broke             # memory ran out
    cdef object caught          # the exception of a signal, or None

    cdef double sum_of(self, const uint64_t* v) noexcept nogil
    cdef bint must_stop(self) noexcept nogil
    cdef int add(self, Front* front, const uint64_t* v) noexcept nogil
    cdef void ask(self, const uint64_t* dims, uint64_t* out) noexcept nogil
    cdef bint fits(self, const uint64_t* x, const Above* above) noexcept nogil
    cdef bint useful(
        self, const uint64_t* v, const uint64_t* bound, const Front* contexts, const Above* above
    ) noexcept nogil
    cdef int narrowed(
        self, const uint64_t* v, const uint64_t* bound, const Front* contexts, const Above* above, Front* out
    ) noexcept nogil
    cdef int worlds_in(self, const uint64_t* dims) noexcept nogil
    cdef int first_world(self, const uint64_t* dims) noexcept nogil
    cdef void push(self, const uint64_t* dims, int action) noexcept nogil
    cdef void pop(self, const uint64_t* dims) noexcept nogil
    cdef uint64_t split(self, const uint64_t* dims, uint64_t* by_action, uint64_t* forced) noexcept nogil
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
    cdef int back_up(self, const uint64_t* dims, int rule, int left, uint64_t* out) noexcept nogil
    cdef object rows(self, const uint64_t* bits, int count)
    cdef int check(self) except -1
    cdef int back_up_groups(
        self, const uint64_t* dims, int seat, uint64_t legal, const uint64_t* by_action, const uint64_t* values,
        uint64_t* out
    ) noexcept nogil
