"""Zero-window search of suit and grand games."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from solvers._layout cimport Layout
from solvers._table cimport Table


ctypedef struct Search:
    uint32_t hands[3]       # cards held, in labels
    uint32_t group[32]      # as in Layout
    uint32_t trumps         # as in Layout
    int soloist             # seat
    uint8_t points[32]      # what the trick's winner gets for a card
    int per_trick           # what he gets for the trick itself
    Table* table
    uint64_t nodes          # tricks begun
    uint64_t check_at       # when nodes gets here, the limits are looked at
    uint64_t node_limit     # nodes at which to stop
    double deadline         # seconds on the monotonic clock at which to stop; 0: never
    uint32_t canon[5][16]
    uint32_t killer[3][12]
    bint stopped            # a limit was reached: values returned since then mean nothing


cdef void search_start(Search* s, const Layout* layout, Table* table, int soloist) noexcept nogil
cdef void find_twins(Search* s) noexcept nogil
cdef int search(Search* s, int leader, int on_table, const uint8_t* cards, int need, int rest) noexcept nogil
