"""Search of null games: does the soloist take a trick?"""

from libc.stdint cimport uint8_t, uint32_t

from skat_env.solvers._limits cimport Limits
from skat_env.solvers._table cimport Table


ctypedef struct NullSearch:
    uint32_t hands[3]       # cards held, in labels
    int soloist             # seat
    Table* table
    Limits* limits
    uint8_t canon[4][256]   # cards left in a lane -> the lowest such cards with the same owners from low to high
    uint8_t safe[4][256]    # cards left in a lane -> 1: the soloist can always duck there


cdef void null_start(NullSearch* s, Table* table, Limits* limits, int soloist, const uint32_t* hands) noexcept nogil
cdef bint null_search(NullSearch* s, int leader, int on_table, const uint8_t* cards) noexcept nogil
