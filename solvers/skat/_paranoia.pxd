"""Zero-window search of what a player is sure of, whatever cards it does not see and whatever the others play."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from skat_env.solvers._limits cimport Limits
from skat_env.solvers._table cimport Table
from skat_env.solvers.skat._hidden cimport Hidden
from skat_env.solvers.skat._layout cimport Layout


cdef enum:
    VIEWER = 0          # seats are counted from the viewer: 1 is the player after it, 2 the one after that


ctypedef struct Paranoia:
    uint32_t group[32]          # as in Layout
    uint32_t groups[5]          # the groups of cards; the trumps are the last one, if there are any
    uint8_t points[32]          # what the trick's winner gets for a card; all 0 when tricks are counted
    uint32_t trumps             # as in Layout
    int per_trick               # what it gets for the trick itself: 1 when tricks are counted
    int soloist                 # seat
    bint null                   # a null game: 1 is to be won, by the soloist if it takes no trick, else by the
                                # defenders
    double min_share            # plays that fewer of the worlds left allow are not considered
    Table* table
    Limits* limits
    uint32_t runs[5]            # cards of a group, side by side, that bring the same points
    uint8_t first[5]            # the lowest card of each run
    uint32_t twins[5][256]      # run, its cards left -> the lowest cards that are the viewer's or may lie like them
    uint32_t killer[11]         # by the viewer's cards left: the lead (or none) that decided last


ctypedef struct Trick:
    # The trick so far.
    uint32_t cards              # the cards on the table; 0: none, and all else is void
    int leader                  # seat
    int winner                  # seat that has the trick so far
    uint8_t led                 # the card led
    uint8_t winning             # the card that has the trick so far
    int points                  # the cards' points


cdef void paranoia_start(
    Paranoia* p, const Layout* layout, Table* table, Limits* limits, const Hidden* h, uint32_t hand, int soloist,
    bint null, bint tricks, double min_share
) noexcept nogil
cdef int paranoia(
    Paranoia* p, const Hidden* h, uint32_t hand, const Trick* t, int to_act, int need, int rest
) noexcept nogil
cdef Trick with_card(const Paranoia* p, const Trick* t, int seat, int card) noexcept nogil
