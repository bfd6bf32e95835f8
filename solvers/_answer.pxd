"""What every question to an open-card solver may ask besides its aim, and what the solvers answer."""

from libc.stdint cimport int16_t, uint8_t, uint32_t, uint64_t

cdef enum:
    NO_ACTION = 255

cdef enum:  # wishes, added up
    ACTIONS = 1         # a value for every legal action asked for
    LINE = 2            # best play to the end


ctypedef struct Request:
    uint8_t wishes              # ACTIONS, LINE
    uint32_t cards              # the actions asked for with the wish ACTIONS
    uint64_t node_limit         # nodes that may be searched; 0: no limit
    double time_limit           # seconds; 0: no limit


ctypedef struct Answer:
    # All values are the declaring side's at the end of the game, by best play of both sides. The game defines what they
    # count, and when a question is answered.
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


cdef Request request_of(object question)
cdef object solution_of(const Answer* a)
