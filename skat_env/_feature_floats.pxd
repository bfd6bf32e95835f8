"""Writing float features: masks, one-hot groups, single numbers. Each returns where the next one goes."""

from libc.stdint cimport uint32_t
from libc.string cimport memset


cdef inline float* write_mask(float* out, uint32_t mask) noexcept nogil:
    """32 floats, 1 where the mask has a bit."""
    cdef int bit
    for bit in range(32):
        out[bit] = <float><int>(mask >> bit & 1)     # of an int: the vector units convert no unsigned numbers
    return out + 32


cdef inline float* write_one_hot(float* out, int index, int width) noexcept nogil:
    """`width` floats, the one at `index` 1; none where the index is outside."""
    memset(out, 0, width * sizeof(float))
    if 0 <= index < width:
        out[index] = 1
    return out + width


cdef inline float* write_bits(float* out, uint32_t mask, int width) noexcept nogil:
    """The `width` lowest bits of a mask."""
    cdef int bit
    for bit in range(width):
        out[bit] = mask >> bit & 1
    return out + width


cdef inline float* write_number(float* out, float value) noexcept nogil:
    """One float."""
    out[0] = value
    return out + 1
