"""Writing features of single bits: masks, thermometers, one-hot groups. Each returns where the next one goes."""

from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset


cdef inline int8_t* write_mask(int8_t* out, uint32_t mask) noexcept nogil:
    """32 bytes, one a bit of the mask: each byte of the mask is spread over eight by a multiplication."""
    cdef uint64_t spread
    cdef int byte
    for byte in range(4):
        # The product holds eight copies of the byte, the masks keep bit i of copy i, the sum carries it to bit 7.
        spread = ((mask >> (8 * byte)) & 0xFF) * <uint64_t>0x0101010101010101
        spread &= <uint64_t>0x8040201008040201
        spread = (spread + <uint64_t>0x7F7F7F7F7F7F7F7F) >> 7 & <uint64_t>0x0101010101010101
        memcpy(out + 8 * byte, &spread, 8)
    return out + 32


cdef inline int8_t* write_thermometer(int8_t* out, int value, int width) noexcept nogil:
    """`width` bytes, the first `value` of them 1."""
    memset(out, 1, value)
    memset(out + value, 0, width - value)
    return out + width


cdef inline int8_t* write_one_hot(int8_t* out, int index, int width) noexcept nogil:
    """`width` bytes, byte `index` 1; none where the index is outside."""
    memset(out, 0, width)
    if 0 <= index < width:
        out[index] = 1
    return out + width
