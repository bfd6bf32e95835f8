"""What ends a search early: its limits, and signals."""

from libc.stdint cimport uint64_t
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

cdef enum:
    CHECK_EVERY = 1024      # nodes between two readings of the clock

cdef extern from *:
    """
    #define SOLVERS_SIGNALS_EVERY 0.02
    """
    # Seconds: taking the GIL more often would cost, waiting longer would be noticed.
    const double SIGNALS_EVERY "SOLVERS_SIGNALS_EVERY"

cdef extern from "Python.h":
    int check_signals "PyErr_CheckSignals"() noexcept   # below 0: a handler has raised, and the exception waits


ctypedef struct Watch:
    # Signals during searches. Handlers run in the main thread of Python only.
    double hear_at          # when they are to be heard next, in seconds on the monotonic clock; INFINITY: never
    bint ended              # a handler has raised: what searches returned since is void


ctypedef struct Limits:
    uint64_t nodes          # positions looked up in the table
    uint64_t node_limit     # nodes at which to stop
    uint64_t check_at       # the limits are checked when `nodes` reaches this
    double deadline         # seconds on the monotonic clock at which to stop; 0: never
    Watch* watch            # NULL: signals wait
    bint stopped            # a limit was reached, or the watch has ended: what the search returned since then is void


cdef inline double now() noexcept nogil:
    """Seconds on the monotonic clock."""
    cdef timespec t
    clock_gettime(CLOCK_MONOTONIC, &t)
    return t.tv_sec + 1e-9 * t.tv_nsec


cdef inline void watch_begin(Watch* watch) noexcept nogil:
    """Watches on this thread."""
    watch.hear_at = now() + SIGNALS_EVERY
    watch.ended = False


cdef inline bint watch_ended(Watch* watch) noexcept nogil:
    """Hears signals if it is time; whether searches must end."""
    cdef double time
    if watch.ended:
        return True
    time = now()
    if time >= watch.hear_at:
        watch.hear_at = time + SIGNALS_EVERY
        with gil:
            watch.ended = check_signals() < 0
    return watch.ended


cdef inline int watch_raise(Watch* watch) except -1:
    """Raises the exception that ended a watch on this thread, if one did."""
    if watch.ended:
        watch.ended = False
        return -1       # the exception waits
    return 0


cdef inline void limits_set(Limits* limits, uint64_t nodes, double seconds, Watch* watch) noexcept nogil:
    """Starts counting; 0: no limit."""
    limits.nodes = 0
    limits.node_limit = nodes if nodes else <uint64_t>-1
    limits.check_at = 1
    limits.deadline = now() + seconds if seconds > 0 else 0
    limits.watch = watch
    limits.stopped = False


cdef inline bint limits_reached(Limits* limits) noexcept nogil:
    """Counts a node; whether the search must stop."""
    limits.nodes += 1
    if limits.nodes < limits.check_at:
        return False
    limits.stopped = (
        limits.nodes >= limits.node_limit or (limits.deadline > 0 and now() >= limits.deadline)
        or (limits.watch is not NULL and watch_ended(limits.watch))
    )
    limits.check_at = min(limits.nodes + CHECK_EVERY, limits.node_limit)
    return limits.stopped
