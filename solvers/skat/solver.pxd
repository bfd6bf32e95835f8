"""The C face of the open-card solver of Skat: a plain struct in, a plain struct out, no Python."""

from libc.stdint cimport uint8_t, uint32_t

from skat_env.skat._rules cimport SkatData
from skat_env.solvers._answer cimport Answer, Request
from skat_env.solvers._solver cimport OpenCardSolver
from skat_env.solvers._table cimport Table

cdef enum:  # questions
    DECISION = 0        # does the soloist reach the target?
    EXACT = 1           # how much does it get?

cdef enum:  # aims: what is counted; in null games always whether it takes a trick
    POINTS = 0          # card points, the skat's included
    TRICKS = 1          # tricks


ctypedef struct Problem:
    uint32_t hands[3]           # cards held, by seat
    uint8_t contract            # rules.Contract
    uint8_t soloist             # seat
    uint8_t leader              # seat that led the current trick, or is to lead
    uint8_t on_table            # cards of the current trick, 0..2
    uint8_t table[2]            # these cards
    uint8_t won                 # what the soloist has: card points, the skat's included, or tricks; null: 1 if a trick
    uint8_t aim                 # POINTS or TRICKS (null: either)
    uint8_t question            # DECISION or EXACT
    uint8_t target              # of a decision: 0..121 card points or 0..10 tricks; null: 1
    Request request             # what is asked besides


cdef void problem_of(const SkatData* d, int aim, Problem* out) noexcept nogil
cdef void solve(const Problem* problem, Table* table, Answer* out) noexcept nogil


cdef class Solver(OpenCardSolver):
    pass
