"""Games played in step by networks, one a lane: what `Actors` shares with those that draw cards."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t

from skat_env._encoder cimport Labeller, Writer
from skat_env._position cimport Kernel, Position


cdef enum:
    MAX_SEATS = 8
    CARDS = 32


ctypedef struct Rows:
    # What one network is asked, and learns from.
    Writer write
    Labeller label
    int width               # floats of a row
    int first               # rows before it have been chosen for
    int count               # rows in use
    float* features         # [capacity, width]
    int64_t* output         # [capacity] number of the output that was chosen
    float* target           # [capacity] what the game was worth to the seat
    float* best             # [capacity] the highest value of a legal card
    int8_t* explored        # [capacity] whether another card was played
    int32_t* lane           # [capacity]
    int8_t* seat            # [capacity]
    const float* values     # [count - first, OUTPUTS] of the last call of `choose`


cdef class Actors:
    cdef const Kernel* kernel
    cdef Position prototype         # keeps the kernel
    cdef uint8_t* states            # lane after lane, kernel.size bytes each
    cdef Rows* rows                 # [networks]
    cdef readonly int lanes
    cdef int networks
    cdef int unit
    cdef float scale
    cdef int8_t[:, ::1] route
    cdef float[::1] share
    cdef uint64_t[::1] streams
    cdef int32_t[::1] row           # of each lane's game to its next choice; -1: it is over
    cdef int8_t[::1] network        # of each lane
    cdef uint8_t[:, ::1] labels     # of each lane, by card
    cdef list arrays                # keeps the memory of `rows`
    cdef bint values_starts         # whether a game's start has a row of its own
    cdef void* lane(self, int i) noexcept nogil
    cdef int network_of(self, const void* state, int seat) noexcept nogil
    cdef int drawn(self, int i, uint64_t legal, const float* row, float best, float temperature) noexcept nogil
    cdef int write_row(self, int i, int seat, int network) noexcept nogil
    cdef float worth(self, int i, int unit) noexcept nogil
