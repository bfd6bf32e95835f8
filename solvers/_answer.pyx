"""An answer as a `Solution`."""

from solvers.solution import Bounds, Solution


cdef object solution_of(const Answer* a):
    cdef int i
    return Solution(
        Bounds(a.lower, a.upper),
        bool(a.answered),
        {i: Bounds(a.action_lower[i], a.action_upper[i]) for i in range(32) if a.legal >> i & 1},
        None if a.best == NO_ACTION else a.best,
        tuple([a.line[i] for i in range(a.line_length)]),
        a.nodes,
    )
