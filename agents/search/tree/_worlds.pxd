"""Worlds of a view, drawn one by one without the GIL."""

from libc.stdint cimport uint8_t, uint64_t

from skat_env._position cimport Kernel, Position
from skat_env.beliefs._sampler cimport Spread


cdef class Worlds:
    cdef const Kernel* kernel
    cdef Position view
    cdef readonly int seat          # the seat of the view
    cdef Spread* spread             # of the view's unknown cards; used if there is no pool
    cdef bint backtracking          # draw as Aaldering 2023, algorithm 2
    cdef uint8_t* pool              # states to draw from, kernel.size bytes each; NULL: none
    cdef int pool_size

    cdef void draw_one(self, void* state, uint64_t* stream) noexcept nogil
