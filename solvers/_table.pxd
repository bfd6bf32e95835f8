"""A transposition table: per position a lower and an upper bound, and the card that decided it last."""

from libc.stdint cimport uint32_t, uint64_t


cdef enum:
    WAYS = 4                # entries of a bucket; 8 bytes each
    NO_CARD = 63            # a best card that is not known
    LAST_GENERATION = 255

cdef enum:
    # An entry is one word: key 0..33 (cards left, leader), generation 34..41, lower bound 42..48,
    # upper bound 49..55, card 56..61.
    GENERATION_SHIFT = 34
    LOWER_SHIFT = 42
    UPPER_SHIFT = 49
    CARD_SHIFT = 56


ctypedef struct Table:
    uint64_t* entries       # WAYS << bits words, aligned to a cache line; all 0: empty
    int bits                # log2 of the buckets
    uint32_t generation     # 1..LAST_GENERATION; entries of other generations do not count


cdef Table* table_new(int bits) noexcept nogil
cdef void table_free(Table* table) noexcept nogil
cdef void table_forget(Table* table) noexcept nogil


cdef inline uint64_t* table_bucket(const Table* table, uint64_t key) noexcept nogil:
    """The bucket of a key."""
    return table.entries + WAYS * ((key * <uint64_t>0x9E3779B97F4A7C15) >> (64 - table.bits))


cdef inline uint64_t table_tag(const Table* table, uint64_t key) noexcept nogil:
    """The low LOWER_SHIFT bits of the entry that a key has."""
    return key | <uint64_t>table.generation << GENERATION_SHIFT


cdef inline uint64_t* table_find(uint64_t* bucket, uint64_t tag) noexcept nogil:
    """The entry of a tag, or NULL."""
    cdef int i
    for i in range(WAYS):
        if not (bucket[i] ^ tag) << (64 - LOWER_SHIFT):
            return bucket + i
    return NULL


cdef inline uint64_t* table_victim(uint64_t* bucket, uint64_t tag) noexcept nogil:
    """The entry of a tag, or else the one to overwrite; entries are kept in the order of their last use."""
    cdef int i
    cdef uint64_t* entry = table_find(bucket, tag)
    if entry is not NULL:
        return entry
    for i in range(WAYS - 1, 0, -1):
        bucket[i] = bucket[i - 1]
    return bucket
