"""SplitMix64 (Steele, Lea & Flood 2014): the random generator of the C code.

A stream is one 64-bit word, seeded from a numpy Generator.
"""

from libc.stdint cimport uint32_t, uint64_t

from skat_env._bits cimport nth_bit, popcount, trailing_zeros


cdef inline uint64_t random_next(uint64_t* stream) noexcept nogil:
    """The next 64 random bits."""
    stream[0] += <uint64_t>0x9E3779B97F4A7C15
    cdef uint64_t z = stream[0]
    z = (z ^ (z >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t>0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline void random_skip(uint64_t* stream, int count) noexcept nogil:
    """Leaves out the next numbers of a stream: those of choices among one."""
    stream[0] += <uint64_t>0x9E3779B97F4A7C15 * count


cdef inline uint32_t random_below(uint64_t* stream, uint32_t bound) noexcept nogil:
    """A random number 0 .. bound - 1; the bias is below bound / 2**32."""
    return <uint32_t>(((random_next(stream) >> 32) * bound) >> 32)


cdef inline int random_bit(uint64_t* stream, uint64_t mask) noexcept nogil:
    """The index of a uniformly chosen set bit of a mask that is not empty."""
    return trailing_zeros(nth_bit(mask, random_below(stream, popcount(mask))))


cdef inline void random_deal(uint64_t* stream, const int* sizes, int places, uint32_t* masks) noexcept nogil:
    """Deals the 32 cards at random: `sizes[i]` cards to place `i` (the sizes sum to 32)."""
    cdef uint32_t rest = 0xFFFFFFFF
    cdef uint32_t left = 32
    cdef uint32_t bit
    cdef int place, _
    for place in range(places - 1):
        masks[place] = 0
        for _ in range(sizes[place]):
            bit = <uint32_t>nth_bit(rest, random_below(stream, left))
            masks[place] |= bit
            rest ^= bit
            left -= 1
    masks[places - 1] = rest
