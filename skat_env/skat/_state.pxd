"""The Python classes around the struct of Skat."""

from skat_env._position cimport Position
from skat_env.skat._rules cimport SkatData


cdef class SkatPosition(Position):
    cdef SkatData d

cdef class SkatState(SkatPosition):
    pass

cdef class SkatView(SkatPosition):
    pass
