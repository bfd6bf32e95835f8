"""The order of the three seats, without remainders of divisions: these took 4% of a search."""


cdef inline int left_of(int seat) noexcept nogil:
    """The seat that plays after a seat."""
    return seat + 1 if seat < 2 else 0


cdef inline int right_of(int seat) noexcept nogil:
    """The seat that plays before a seat."""
    return seat - 1 if seat else 2
