"""Sets of cards as bits of one word."""

from libc.stdint cimport uint32_t, uint64_t


cdef extern from *:
    """
    #if defined(__BMI2__)
    #include <immintrin.h>
    #define skat_env_pdep(bits, mask) _pdep_u64(bits, mask)
    #define skat_env_has_pdep 1
    #elif defined(__x86_64__)
    /* A build for older processors asks the processor at run time. In assembly, as compilers refuse intrinsics of
       processors that they do not build for. */
    static inline unsigned long long skat_env_pdep(unsigned long long bits, unsigned long long mask)
    { unsigned long long out; __asm__("pdepq %2, %1, %0" : "=r"(out) : "r"(bits), "r"(mask)); return out; }
    #define skat_env_has_pdep __builtin_cpu_supports("bmi2")
    #else
    #define skat_env_pdep(bits, mask) 0
    #define skat_env_has_pdep 0
    #endif
    static inline unsigned skat_env_lowest(unsigned mask, unsigned count)
    {
        unsigned rest = mask;
        if (skat_env_has_pdep) return (unsigned)skat_env_pdep((1u << count) - 1, mask);
        while (count--) rest &= rest - 1;
        return mask & ~rest;
    }
    static inline unsigned long long skat_env_nth_bit(unsigned long long mask, unsigned n)
    {
        if (skat_env_has_pdep) return skat_env_pdep(1ull << n, mask);
        while (n--) mask &= mask - 1;
        return mask & -mask;
    }
    """
    uint64_t nth_bit "skat_env_nth_bit"(uint64_t mask, unsigned n) noexcept nogil       # the n-th set bit, from 0
    int popcount "__builtin_popcountll"(uint64_t) noexcept nogil
    int trailing_zeros "__builtin_ctzll"(uint64_t) noexcept nogil
    int leading_zeros "__builtin_clz"(uint32_t) noexcept nogil
    int leading_zeros_64 "__builtin_clzll"(uint64_t) noexcept nogil
    uint32_t lowest "skat_env_lowest"(uint32_t mask, int count) noexcept nogil    # the lowest 0..31 cards of a set


cdef inline uint32_t bit(int card) noexcept nogil:
    """The set of one card."""
    return <uint32_t>1 << card


cdef inline uint32_t below(int card) noexcept nogil:
    """All cards with lower numbers."""
    return (<uint32_t>1 << card) - 1


cdef inline uint32_t above(int card) noexcept nogil:
    """All cards with higher numbers."""
    return (<uint32_t>0xFFFFFFFE) << card


cdef inline int top(uint32_t mask) noexcept nogil:
    """The highest card of a set that is not empty."""
    return 31 - leading_zeros(mask)


cdef inline uint32_t over(uint32_t mask) noexcept nogil:
    """All cards above the highest of a set; all cards if the set is empty."""
    return <uint32_t>(<uint64_t>0xFFFFFFFF << (63 - leading_zeros_64(<uint64_t>mask << 1 | 1)))


cdef inline bint single(uint32_t mask) noexcept nogil:
    """Whether a set has at most one card."""
    return not mask & (mask - 1)


cdef inline uint32_t run_of(uint32_t hand, uint32_t others, uint32_t group, int card) noexcept nogil:
    """The cards of a hand that are next to `card` in its group, with none of the others' cards between them."""
    cdef uint32_t higher = others & group & above(card)
    cdef uint32_t lower = others & group & below(card)
    # Without branches, which could not be predicted.
    return hand & group & ((higher & (0 - higher)) - 1) & over(lower)
