"""Selection rules of tree searches: C functions, and objects that hand them to a search."""

from libc.math cimport log, sqrt
from libc.stdint cimport INT64_MIN, int32_t, int64_t, uint64_t

from skat_env.agents.search.tree._tree cimport NONE, Edge, Node

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    /* A whole number that is larger for a larger x: bounds are compared without a branch, which none could predict. */
    static inline int64_t skat_env_ordered(double x)
    {
        int64_t bits;
        memcpy(&bits, &x, sizeof(bits));
        return bits ^ (bits >> 63 & INT64_MAX);
    }
    """
    int64_t ordered "skat_env_ordered"(double) noexcept nogil

cdef enum:
    ROOTS = 4096            # roots of the logarithms of the numbers below this are tabulated

cdef double SMALLEST_PRIOR = 1e-30     # of all legal actions together: its inverse and products with it are finite

cdef double ROOT[ROOTS]
for _number in range(1, ROOTS):
    ROOT[_number] = sqrt(log(_number))


cdef inline double root_of_logarithm(int number) noexcept nogil:
    return ROOT[number] if number < ROOTS else sqrt(log(number))


cdef inline int32_t best_by_ucb(
    Edge* edges, const Node* node, const Scale* seen, uint64_t legal, double sign, bint by_availability
) noexcept nogil:
    """The legal edge with the highest upper confidence bound, the newest of equals; the rules below say what stands
    under the logarithm."""
    cdef double scale = seen.c
    cdef double bound, root
    cdef int64_t rank, better       # better: all bits or none
    cdef int64_t highest = INT64_MIN
    cdef int64_t best = NONE
    cdef int32_t slot
    cdef int32_t is_legal
    if legal & ~node.tried:
        for slot in range(node.count):
            edges[slot].available += legal >> edges[slot].action & 1
        return NONE
    if seen.relative:
        scale *= 0.5 * (seen.highest - seen.lowest) if seen.highest > seen.lowest else 0.0
    if not by_availability:
        scale *= root_of_logarithm(seen.simulations if seen.simulations > 0 else 1)
    for slot in range(node.count):
        is_legal = legal >> edges[slot].action & 1
        edges[slot].available += is_legal
        root = edges[slot].weight.root
        bound = root_of_logarithm(edges[slot].available) * scale if by_availability else scale
        bound = root * (bound + sign * edges[slot].total * root)
        rank = ordered(bound)
        better = -<int64_t>((rank >= highest) & is_legal)
        highest ^= (highest ^ rank) & better
        best ^= (best ^ slot) & better
    return <int32_t>best


cdef int32_t select_ucb_available(
    Edge* edges, const Node* node, const Scale* seen, uint64_t legal, double sign
) noexcept nogil:
    """UCB with the simulations in which the action was available under the logarithm."""
    return best_by_ucb(edges, node, seen, legal, sign, True)


cdef int32_t select_ucb(
    Edge* edges, const Node* node, const Scale* seen, uint64_t legal, double sign
) noexcept nogil:
    """UCB with all simulations so far under the logarithm."""
    return best_by_ucb(edges, node, seen, legal, sign, False)


cdef int32_t select_puct(
    Edge* edges, const Node* node, const Scale* seen, uint64_t legal, double sign
) noexcept nogil:
    """PUCT; an edge without visits has the mean value of the others.

    Where the policy gives no legal action a chance (it may, where this world allows none of those that it chose among
    in others), all of them have the same.
    """
    cdef double scale = seen.c
    cdef double bound, worth, total = 0
    cdef double prior = 0
    cdef double even = 0
    cdef double best_bound = 0
    cdef long visits = 0
    cdef int legal_count = 0
    cdef int32_t best = NONE
    cdef int32_t slot
    cdef Edge* edge
    if seen.relative:
        scale *= 0.5 * (seen.highest - seen.lowest) if seen.highest > seen.lowest else 1.0
    for slot in range(node.count - 1, -1, -1):
        edge = &edges[slot]
        if legal >> edge.action & 1:
            edge.available += 1
            legal_count += 1
            visits += edge.visits
            total += edge.total
            prior += edge.weight.prior.total / edge.weight.prior.asked
    if legal & ~node.tried:
        return NONE
    if not prior > SMALLEST_PRIOR:
        even = 1.0
        prior = legal_count
    scale *= sqrt(1.0 + visits) / prior
    for slot in range(node.count - 1, -1, -1):
        edge = &edges[slot]
        if legal >> edge.action & 1:
            worth = edge.total / edge.visits if edge.visits else total / visits if visits else 0.0
            prior = even if even else edge.weight.prior.total / edge.weight.prior.asked
            bound = sign * worth + scale * prior / (1 + edge.visits)
            if best == NONE or bound > best_bound:
                best_bound = bound
                best = slot
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
