"""Where the situations of the opening stand in the tables of `openings.py`."""

from libc.stdint cimport int32_t

from skat_env.agents.skat.expert._situation cimport Situation

cdef enum:
    LEAD_1, LEAD_2, CUT_1, CUT_2    # trumps: D1^I, D2^I, D1^C, D2^C of the paper
    TRUMP_TABLES                    # of the soloist; as many of the opponents follow
    TRUMP_PATTERNS = 2064           # 2^11 of suit games, then 2^4 of grand
    TRUMP_CARDS = 11
    # Plain suits: D^O and D^S. An opponent leads to someone, the soloist against trumps or not.
    LEADING = 0, LEADING_TO_PARTNER, DROPPING, DROPPING_ON_PARTNER
    SUIT_SITUATIONS
    LEADING_AGAINST_TRUMPS = LEADING_TO_PARTNER
    HOLDINGS = 2187                 # of a plain suit; `suit_state`
    SUIT_CARDS = 7
    BALANCES = 2880                 # of the trumps, at a lead
    TRICKS_TO_CUT = 4608            # what is to be won with a trump, and the trumps


cdef class Openings:
    cdef float[:, :, ::1] trump     # [2 * TRUMP_TABLES, TRUMP_PATTERNS, TRUMP_CARDS] chances; < 0: not known
    cdef float[:, :, ::1] suit      # [2 kinds * 2 roles * SUIT_SITUATIONS, HOLDINGS, SUIT_CARDS]
    cdef float[:, ::1] lead_trump   # [2 kinds * 2 roles, BALANCES] chance that a trump is the lead
    cdef float[:, ::1] cut          # [2 kinds * 2 roles, TRICKS_TO_CUT] chance that a trump is the card


cdef int trump_pattern(const Situation* s) noexcept nogil
cdef int trump_table(const Situation* s, bint cutting) noexcept nogil
cdef int suit_table(const Situation* s) noexcept nogil
cdef int side_table(const Situation* s) noexcept nogil
cdef int balance(const Situation* s) noexcept nogil
cdef int trick_to_cut(const Situation* s) noexcept nogil
