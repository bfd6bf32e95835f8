"""Zero-window search of Klaverjas."""

from libc.stdint cimport uint8_t, uint32_t

from skat_env.solvers._limits cimport Limits
from skat_env.solvers._table cimport Table

cdef enum:  # what the declarers strive for
    DIFFERENCE      # at least `need` more points and roem than the defenders
    ROEM            # at least `need` of: roem of both teams, counted negative
    EITHER          # at least `need` more than the defenders, or at most `spare` roem of both teams


ctypedef struct Search:
    uint32_t hands[4]           # cards held, in labels; the declarer is seat 0, its partner seat 2
    int aim                     # DIFFERENCE, ROEM, EITHER
    bint amsterdam              # legality
    int four_jacks              # roem for them
    Table* tables[3]            # by aim
    Limits* limits
    uint32_t twins[4][8]        # lane, its 7 8 9 (trumps: 7 8) -> the lowest such cards with the same owners
    uint32_t killer[4][9]       # seat, its cards left -> the lead (or none) that decided last


ctypedef struct Trick:
    # A trick under way: what is asked of it and of all that follows.
    int leader                  # seat
    int need                    # as the aim says; of this trick and those to come
    int spare                   # the same
    int rest                    # card points of these tricks, with those for the last
    bint alive                  # 100 more for all eight tricks can still be had, by the declarers (DIFFERENCE) or the
                                # defenders (else)
    uint32_t melding            # cards that may still be part of roem; others change places with their neighbours


cdef void search_start(Search* s, Table** tables, Limits* limits, const uint32_t* hands) noexcept nogil
cdef int start(Search* s, int leader, int need, int spare, int rest, bint alive) noexcept nogil
cdef int resume(Search* s, const Trick* t, int on_table, const uint8_t* cards) noexcept nogil
