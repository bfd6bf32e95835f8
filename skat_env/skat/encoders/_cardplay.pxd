"""Features of the cardplay that Rebstock 2019 (Table 4.1) and Solinas 2019 (Table 2) share, from one seat."""

from libc.stdint cimport uint32_t

from skat_env.skat._rules cimport SkatData


ctypedef struct Plays:
    # By relative seat: 0 the observer, 1 the player after it, 2 the player before it.
    uint32_t played[3]          # all cards played
    uint32_t led[3]             # cards that opened a trick
    uint32_t sloughed[3]        # cards that neither followed nor trumped
    uint32_t trick              # the cards on the table

cdef void collect(const SkatData* s, int seat, Plays* out) noexcept nogil
cdef float* write_plays(float* out, const SkatData* s, int seat, const Plays* plays) noexcept nogil
cdef float* write_bid_types(float* out, const SkatData* s, int seat) noexcept nogil
cdef uint32_t voids(const SkatData* s, int seat) noexcept nogil
cdef uint32_t bid_types(const SkatData* s, int seat) noexcept nogil
cdef int plain_value(const SkatData* s, int seat) noexcept nogil
cdef bint needs_schneider(const SkatData* s, int seat) noexcept nogil
cdef int best_on_table(const SkatData* s) noexcept nogil
cdef bint partner_wins(const SkatData* s, int seat) noexcept nogil
