"""Selection rules of tree searches: C functions, and objects that hand them to a search."""

from libc.math cimport log, sqrt
from libc.stdint cimport int32_t, uint64_t

from agents.search._tree cimport NONE, Edge, Node

cdef enum:
    LOGARITHMS = 4096       # logarithms of the numbers below this are tabulated

cdef double LOG[LOGARITHMS]
for _number in range(1, LOGARITHMS):
    LOG[_number] = log(_number)


cdef inline double logarithm(int number) noexcept nogil:
    return LOG[number] if number < LOGARITHMS else log(number)


cdef inline int32_t best_by_ucb(
    Edge* edges, const Node* node, const Scale* seen, uint64_t legal, double sign, uint64_t* untried, bint by_availability
) noexcept nogil:
    """The legal edge with the highest upper confidence bound; the rules below say what stands under the logarithm."""
    cdef double scale = seen.c
    cdef double bound, share
    cdef double best_bound = -1e300
    cdef int32_t best = NONE
    cdef int32_t at = node.first
    cdef Edge* edge
    if seen.relative:
        scale *= 0.5 * (seen.highest - seen.lowest) if seen.highest > seen.lowest else 0.0
    if not by_availability:
        scale *= sqrt(logarithm(seen.simulations if seen.simulations > 0 else 1))
    untried[0] = legal
    while at != NONE:
        edge = &edges[at]
        if legal >> edge.action & 1:
            untried[0] ^= <uint64_t>1 << edge.action
            edge.available += 1
            share = 1.0 / edge.visits
            bound = scale * sqrt(logarithm(edge.available) * share if by_availability else share)
            bound += sign * edge.total * share
            if bound > best_bound:
                best_bound = bound
                best = at
        at = edge.next
    return best


cdef int32_t select_ucb_available(
    Edge* edges, const Node* node, const Scale* seen, uint64_t legal, double sign, uint64_t* untried
) noexcept nogil:
    """UCB with the simulations in which the action was available under the logarithm."""
    return best_by_ucb(edges, node, seen, legal, sign, untried, True)


cdef int32_t select_ucb(
    Edge* edges, const Node* node, const Scale* seen, uint64_t legal, double sign, uint64_t* untried
) noexcept nogil:
    """UCB with all simulations so far under the logarithm."""
    return best_by_ucb(edges, node, seen, legal, sign, untried, False)


cdef int32_t select_puct(
    Edge* edges, const Node* node, const Scale* seen, uint64_t legal, double sign, uint64_t* unasked
) noexcept nogil:
    """PUCT; an edge without visits has the mean value of the others. NONE while a legal action has no prior."""
    cdef double scale = seen.c
    cdef double bound, worth, total = 0
    cdef double prior = 0
    cdef double best_bound = -1e300
    cdef long visits = 0
    cdef int32_t best = NONE
    cdef int32_t at = node.first
    cdef Edge* edge
    if seen.relative:
        scale *= 0.5 * (seen.highest - seen.lowest) if seen.highest > seen.lowest else 1.0
    unasked[0] = legal
    while at != NONE:
        edge = &edges[at]
        if legal >> edge.action & 1:
            unasked[0] ^= <uint64_t>1 << edge.action
            edge.available += 1
            visits += edge.visits
            total += edge.total
            prior += edge.prior / edge.asked
        at = edge.next
    if unasked[0]:
        return NONE
    scale *= sqrt(1.0 + visits) / prior
    at = node.first
    while at != NONE:
        edge = &edges[at]
        if legal >> edge.action & 1:
            worth = edge.total / edge.visits if edge.visits else total / visits if visits else 0.0
            bound = sign * worth + scale * (edge.prior / edge.asked) / (1 + edge.visits)
            if bound > best_bound:
                best_bound = bound
                best = at
        at = edge.next
    return best


cdef class Selection:
    """A selection rule."""

    def __repr__(self):
        return self.name

    def __reduce__(self):
        return self.name    # the object of that name in this module


cdef Selection rule(str name, Select select, bint priors):
    cdef Selection selection = Selection.__new__(Selection)
    selection.name = name
    selection.select = select
    selection.priors = priors
    return selection


UCB_AVAILABLE = rule("UCB_AVAILABLE", select_ucb_available, False)
UCB = rule("UCB", select_ucb, False)
PUCT = rule("PUCT", select_puct, True)
