"""The limits of a search, which end it early."""

from libc.stdint cimport uint64_t
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

cdef enum:
    CHECK_EVERY = 1024      # nodes between two readings of the clock


ctypedef struct Limits:
    uint64_t nodes          # positions looked up in the table
    uint64_t node_limit     # nodes at which to stop
    uint64_t check_at       # the limits are checked when `nodes` reaches this
    double deadline         # seconds on the monotonic clock at which to stop; 0: never
    bint stopped            # a limit was reached: what the search returned since then is void


cdef inline double now() noexcept nogil:
    """Seconds on the monotonic clock."""
    cdef timespec t
    clock_gettime(CLOCK_MONOTONIC, &t)
    return t.tv_sec + 1e-9 * t.tv_nsec


cdef inline void limits_set(Limits* limits, uint64_t nodes, double seconds) noexcept nogil:
    """Starts counting; 0: no limit."""
    limits.nodes = 0
    limits.node_limit = nodes if nodes else <uint64_t>-1
    limits.check_at = 1
    limits.deadline = now() + seconds if seconds > 0 else 0
    limits.stopped = False


cdef inline bint limits_reached(Limits* limits) noexcept nogil:
    """Counts a node; whether the search must stop."""
    limits.nodes += 1
    if limits.nodes < limits.check_at:
        return False
    limits.stopped = limits.nodes >= limits.node_limit or (limits.deadline > 0 and now() >= limits.deadline)
    limits.check_at = min(limits.nodes + CHECK_EVERY, limits.node_limit)
    return limits.stopped
