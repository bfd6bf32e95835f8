"""Search of null games: does the soloist take a trick?"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from solvers._table cimport Table


ctypedef struct NullSearch:
    uint32_t hands[3]       # cards held, in labels
    int soloist             # seat
    Table* table
    uint64_t nodes          # tricks begun
    uint64_t node_limit     # nodes at which to stop
    uint64_t check_at       # when nodes gets here, the limits are looked at
    double deadline         # seconds on the monotonic clock at which to stop; 0: never
    bint stopped            # a limit was reached: answers since then mean nothing
    uint8_t canon[4][256]   # cards left in a lane -> the lowest such cards with the same owners from low to high
    uint8_t safe[4][256]    # cards left in a lane -> 1: the soloist can always duck there


cdef void null_start(NullSearch* s, Table* table, int soloist, const uint32_t* hands) noexcept nogil
cdef bint null_search(NullSearch* s, int leader, int on_table, const uint8_t* cards) noexcept nogil
