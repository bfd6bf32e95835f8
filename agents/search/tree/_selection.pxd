"""Selection rules of tree searches as C functions."""

from libc.stdint cimport int32_t, uint64_t

from skat_env.agents.search.tree._tree cimport Edge, Node


ctypedef struct Scale:
    # The scale of exploration.
    double c                # the exploration constant
    bint relative           # whether c counts in half ranges of the values seen; else in points
    double lowest, highest  # values seen
    long simulations        # since the root of the search in progress


# (edges of the node, node, scale, legal actions, +1 if the declaring side chooses, else -1) -> the slot of the edge to
# follow, or NONE while a legal action is untried. Counts the legal edges as available.
ctypedef int32_t (*Select)(Edge*, const Node*, const Scale*, uint64_t, double) noexcept nogil


cdef class Selection:
    cdef Select select
    cdef readonly str name
    cdef readonly bint priors
