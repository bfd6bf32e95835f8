"""Writers of one-bit features: masks, thermometers, one-hot groups. Each returns where the next feature goes."""

from libc.stdint cimport int8_t, uint32_t
from libc.string cimport memcpy, memset


cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #if defined(__AVX2__)
    #include <immintrin.h>
    static inline void skat_env_spread(int8_t* out, uint32_t mask)
    {
        /* Each byte of the mask is copied to eight bytes, and each of those keeps its own bit. */
        const __m256i bits = _mm256_set1_epi64x((long long)0x8040201008040201ull);
        const __m256i places = _mm256_setr_epi64x(
            0, 0x0101010101010101ll, 0x0202020202020202ll, 0x0303030303030303ll);
        __m256i kept = _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32((int)mask), places), bits);
        __m256i ones = _mm256_sub_epi8(_mm256_setzero_si256(), _mm256_cmpeq_epi8(kept, bits));
        _mm256_storeu_si256((__m256i*)out, ones);
    }
    #elif defined(__SSSE3__)
    #include <tmmintrin.h>
    static inline void skat_env_spread(int8_t* out, uint32_t mask)
    {
        /* As above, in two halves. */
        const __m128i bits = _mm_set1_epi64x((long long)0x8040201008040201ull);
        const __m128i all = _mm_set1_epi32((int)mask), none = _mm_setzero_si128();
        for (int half = 0; half < 2; half++) {
            const __m128i places = _mm_set_epi64x(
                0x0202020202020202ll * half + 0x0101010101010101ll, 0x0202020202020202ll * half);
            __m128i kept = _mm_and_si128(_mm_shuffle_epi8(all, places), bits);
            _mm_storeu_si128((__m128i*)(out + 16 * half), _mm_sub_epi8(none, _mm_cmpeq_epi8(kept, bits)));
        }
    }
    #else
    static inline void skat_env_spread(int8_t* out, uint32_t mask)
    {
        for (int byte = 0; byte < 4; byte++) {
            /* The product has eight copies of the byte, the mask keeps bit i of copy i, the sum carries it to bit 7. */
            uint64_t spread = ((mask >> (8 * byte)) & 0xFF) * 0x0101010101010101ull & 0x8040201008040201ull;
            spread = (spread + 0x7F7F7F7F7F7F7F7Full) >> 7 & 0x0101010101010101ull;
            memcpy(out + 8 * byte, &spread, 8);
        }
    }
    #endif
    /* 256 ones, then 256 zeros: every thermometer of up to 256 bytes is a slice of it. */
    #define SKAT_ENV_ONES_16 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
    #define SKAT_ENV_ONES_64 SKAT_ENV_ONES_16, SKAT_ENV_ONES_16, SKAT_ENV_ONES_16, SKAT_ENV_ONES_16
    static const int8_t skat_env_steps[512] = {
        SKAT_ENV_ONES_64, SKAT_ENV_ONES_64, SKAT_ENV_ONES_64, SKAT_ENV_ONES_64
    };
    """
    void spread "skat_env_spread"(int8_t* out, uint32_t mask) noexcept nogil
    const int8_t* STEPS "skat_env_steps"


cdef inline int8_t* write_mask(int8_t* out, uint32_t mask) noexcept nogil:
    """32 bytes, one for each bit of the mask."""
    spread(out, mask)
    return out + 32


cdef inline int8_t* write_thermometer(int8_t* out, int value, int width) noexcept nogil:
    """`width` bytes (at most 256), the first `value` of them 1."""
    memcpy(out, STEPS + 256 - value, width)     # the compiler knows the length: no call
    return out + width


cdef inline int8_t* write_one_hot(int8_t* out, int index, int width) noexcept nogil:
    """`width` bytes, of which byte `index` is 1; all 0 if the index is out of range."""
    memset(out, 0, width)
    if 0 <= index < width:
        out[index] = 1
    return out + width
