"""Writers of float features: masks, one-hot groups, single numbers. Each returns where the next feature goes."""

from libc.stdint cimport uint32_t
from libc.string cimport memset


cdef extern from *:
    """
    #include <stdint.h>
    #define SKAT_ENV_BITS_4(bit) 1u << (bit), 2u << (bit), 4u << (bit), 8u << (bit)
    #define SKAT_ENV_BITS_16(bit) \
        SKAT_ENV_BITS_4(bit), SKAT_ENV_BITS_4((bit) + 4), SKAT_ENV_BITS_4((bit) + 8), SKAT_ENV_BITS_4((bit) + 12)
    static const uint32_t skat_env_bits[32] = { SKAT_ENV_BITS_16(0), SKAT_ENV_BITS_16(16) };
    static inline void skat_env_floats(float* out, uint32_t mask)
    {
    #if defined(__AVX2__)
        /* Through int: vector units do not convert unsigned numbers. */
        for (int bit = 0; bit < 32; bit++) out[bit] = (float)(int)(mask >> bit & 1);
    #else
        /* From a table: older vector units cannot shift each lane by a different number. */
        for (int bit = 0; bit < 32; bit++) out[bit] = mask & skat_env_bits[bit] ? 1.0f : 0.0f;
    #endif
    }
    """
    void floats "skat_env_floats"(float* out, uint32_t mask) noexcept nogil


cdef inline float* write_mask(float* out, uint32_t mask) noexcept nogil:
    """32 floats, 1 for each bit in the mask."""
    floats(out, mask)
    return out + 32


cdef inline float* write_one_hot(float* out, int index, int width) noexcept nogil:
    """`width` floats, of which the one at `index` is 1; all 0 if the index is out of range."""
    memset(out, 0, width * sizeof(float))
    if 0 <= index < width:
        out[index] = 1
    return out + width


cdef inline float* write_bits(float* out, uint32_t mask, int width) noexcept nogil:
    """The `width` lowest bits of a mask, a float for each."""
    cdef int bit
    for bit in range(width):
        out[bit] = mask >> bit & 1
    return out + width


cdef inline float* write_number(float* out, float value) noexcept nogil:
    """One float."""
    out[0] = value
    return out + 1
