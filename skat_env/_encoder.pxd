"""Float encodings of positions as C functions, for loops that run without the GIL."""

from libc.stdint cimport uint8_t

ctypedef void (*Writer)(const void* s, int seat, float* out) noexcept nogil     # struct, seat -> `width` floats
ctypedef bint (*Reader)(const void* s, int seat) noexcept nogil     # whether it can encode the position for the seat
ctypedef void (*Labeller)(const void* s, int seat, uint8_t* out) noexcept nogil     # struct, seat -> the cards' 32
                                                                                    # numbers


cdef class Encoder:
    cdef Writer write               # unchecked: `reads` must hold. Both use only what the seat's view holds.
    cdef Reader reads
    cdef Labeller label             # the numbers that the features give the cards; NULL: the cards' own
    cdef readonly str name          # `GAME.NAME`
    cdef readonly int version       # changes when the meaning of the features changes
    cdef readonly int width         # floats of a row
    cdef readonly tuple features    # features.Feature, in order
    cdef readonly dict slices       # where each feature lies
    cdef readonly str scope         # which positions it reads, in words
    cdef readonly type positions    # base class of the game's states and views


cdef Encoder make_encoder(
    str name, int version, tuple features, str scope, type positions, Writer write, Reader reads, Labeller label=*
)
cdef object float_rows(object out, Py_ssize_t rows, int width)
