"""What the open-card solvers answer, and what can be wished for besides the value."""

from libc.stdint cimport int16_t, uint8_t, uint32_t, uint64_t

cdef enum:
    NO_ACTION = 255

cdef enum:  # wishes, added up
    ACTIONS = 1         # a value for every legal action
    LINE = 2            # best play to the end


ctypedef struct Answer:
    # All values are the declaring side's at the end of the game, by best play of both sides; what they count, and when a
    # question is answered, is the game's.
    bint answered               # all that was asked is known; else only the bounds hold
    int lower
    int upper
    uint8_t best                # an action that keeps the value, NO_ACTION if unknown
    uint32_t legal              # the actions that have values (with the wish ACTIONS)
    int16_t action_lower[32]    # by action
    int16_t action_upper[32]
    uint8_t line[32]            # best play to the end (with the wish LINE)
    int line_length
    uint64_t nodes              # positions between tricks looked up in the tables


cdef object solution_of(const Answer* a)
