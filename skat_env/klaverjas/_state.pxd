"""The Python classes around the struct of Klaverjas."""

from skat_env._position cimport Position
from skat_env.klaverjas._rules cimport KlaverjasData


cdef class KlaverjasPosition(Position):
    cdef KlaverjasData d

cdef class KlaverjasState(KlaverjasPosition):
    pass

cdef class KlaverjasView(KlaverjasPosition):
    pass
