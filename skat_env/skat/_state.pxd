"""The Python faces of Skat's struct."""

from skat_env._position cimport Position
from skat_env.skat._rules cimport SkatData


cdef class SkatPosition(Position):
    cdef SkatData d

cdef class SkatState(SkatPosition):
    pass

cdef class SkatView(SkatPosition):
    pass
