"""A Python question as a `Request`, and an `Answer` as a Python solution."""

from skat_env.solvers.solution import Bounds, Solution


cdef Request request_of(object question):
    """What an `OpenCardQuestion` asks in every game."""
    cdef Request request
    request.wishes = (ACTIONS if question.actions else 0) | (LINE if question.line else 0)
    request.cards = question.cards
    request.node_limit = question.node_limit or 0
    request.time_limit = question.time_limit or 0
    return request


cdef object solution_of(const Answer* a):
    """The `Solution` of an answer."""
    cdef int i
    return Solution(
        Bounds(a.lower, a.upper),
        bool(a.answered),
        {i: Bounds(a.action_lower[i], a.action_upper[i]) for i in range(32) if a.legal >> i & 1},
        None if a.best == NO_ACTION else a.best,
        tuple([a.line[i] for i in range(a.line_length)]),
        a.nodes,
    )
