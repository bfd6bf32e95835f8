"""The C face of the open-card solver of Klaverjas: a plain struct in, a plain struct out, no Python."""

from libc.stdint cimport uint8_t, uint16_t, uint32_t

from skat_env.klaverjas._rules cimport KlaverjasData, Options
from skat_env.solvers._answer cimport Answer, Request
from skat_env.solvers._solver cimport OpenCardSolver
from skat_env.solvers._table cimport Table

cdef enum:  # aims; in the order of `question.Aim`
    MADE                # does the declaring team make the game?
    POINTS_AND_ROEM     # its card points and roem less the defenders'
    SCORES              # its final score less the defenders'


ctypedef struct Problem:
    uint32_t hands[4]           # cards held, by seat
    Options options             # the rules'
    uint8_t trump               # suit
    uint8_t declarer            # seat
    uint8_t leader              # seat that led the current trick, or is to lead
    uint8_t on_table            # cards of the current trick, 0..3
    uint8_t table[3]            # these cards
    uint8_t aim                 # MADE, POINTS_AND_ROEM or SCORES
    uint8_t tricks[2]           # won by the declaring team and by the defenders
    uint16_t points[2]          # card points, likewise
    uint16_t roem[2]            # roem, likewise
    Request request             # what is asked besides


ctypedef struct Tables:
    Table* by_aim[3]            # one for each aim of the search


cdef void problem_of(const KlaverjasData* d, int aim, Problem* out) noexcept nogil
cdef void solve(const Problem* problem, Tables* tables, Answer* out) noexcept nogil


cdef class Solver(OpenCardSolver):
    pass
