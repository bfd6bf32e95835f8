"""Zero-window search of suit and grand games."""

from libc.stdint cimport uint8_t, uint32_t

from skat_env.solvers.skat._layout cimport Layout
from skat_env.solvers._limits cimport Limits
from skat_env.solvers._table cimport Table


ctypedef struct Search:
    uint32_t hands[3]           # cards held, in labels
    int soloist                 # seat
    uint32_t group[32]          # as in Layout
    uint32_t trumps             # as in Layout
    uint8_t points[32]          # what the trick's winner gets for a card; all 0 when tricks are counted
    int per_trick               # what it gets for the trick itself: 1 when tricks are counted
    Table* table
    Limits* limits
    uint32_t twins[5][16]       # lane, its 7 8 9 (lane 4: the jacks) -> the lowest such cards with the same owners
    uint32_t killer[3][11]      # seat, its cards left -> the lead (or none) that decided last


cdef void search_start(
    Search* s, const Layout* layout, Table* table, Limits* limits, int soloist, const uint32_t* hands, bint tricks
) noexcept nogil
cdef int search(Search* s, int leader, int on_table, const uint8_t* cards, int need, int rest) noexcept nogil
