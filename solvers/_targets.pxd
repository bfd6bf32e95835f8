"""The targets of zero-window searches for an exact value: outwards from a guess in steps, then in halves."""


ctypedef struct Targets:
    int target              # the next one, or the last one asked
    int step                # from one target to the next
    bint asked              # a target was asked
    int direction           # 1: the last target was reached, -1: it was not, 0: none was asked


cdef inline Targets targets_from(int guess, int step) noexcept nogil:
    """Targets that begin with a guess."""
    cdef Targets t
    t.target, t.step, t.asked, t.direction = guess, step, False, 0
    return t


cdef inline int next_target(Targets* t, int lower, int upper) noexcept nogil:
    """The next target between two bounds that do not meet, one of which the last target has moved."""
    cdef int direction
    if t.asked:
        direction = 1 if lower >= t.target else -1
        if direction + t.direction == 0:
            t.step = max(1, t.step // 2)    # the value is between the last two targets
        t.direction = direction
        t.target = lower + t.step if direction > 0 else upper + 1 - t.step
    t.asked = True
    t.target = max(lower + 1, min(t.target, upper))
    return t.target
