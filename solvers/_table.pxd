"""A transposition table: per position a lower and an upper bound."""

from libc.stdint cimport uint32_t, uint64_t

from skat_env._bits cimport trailing_zeros


cdef enum:
    WAYS = 4                # entries of a bucket; 8 bytes each


ctypedef struct Table:
    # An entry is one word, from the low bits on: key, generation, lower bound, upper bound. Key and generation are
    # its tag.
    int key_bits            # bits of a key
    int tag_bits            # bits of a key and a generation
    int bound_bits          # bits of a bound: (64 - tag_bits) / 2
    uint64_t* entries       # WAYS << max_bits words, aligned to a cache line; all 0: empty
    void* memory            # what holds them
    int bits                # log2 of the buckets in use
    int max_bits           # log2 of the buckets that there are
    int written_bits        # log2 of the buckets that may have been written since the memory was cleared
    uint32_t generation     # from 1 on; entries of other generations do not count
    uint32_t used           # entries written since the table was emptied


cdef Table* table_new(int max_bits, int key_bits, int bound_bits) noexcept nogil
cdef void table_free(Table* table) noexcept nogil
cdef void table_forget(Table* table) noexcept nogil
cdef void table_grow(Table* table) noexcept nogil


cdef inline uint64_t table_hash(uint64_t key) noexcept nogil:
    return key * <uint64_t>0x9E3779B97F4A7C15


cdef inline uint64_t* table_bucket(const Table* table, uint64_t key) noexcept nogil:
    """The bucket of a key."""
    return table.entries + WAYS * (table_hash(key) >> (64 - table.bits))


cdef inline uint64_t table_tag(const Table* table, uint64_t key) noexcept nogil:
    """The low bits of the entry that a key has."""
    return key | <uint64_t>table.generation << table.key_bits


cdef inline uint64_t table_entry(const Table* table, uint64_t tag, int lower, int upper) noexcept nogil:
    """The word of a tag and its bounds."""
    return tag | <uint64_t>lower << table.tag_bits | <uint64_t>upper << (64 - table.bound_bits)


cdef inline int table_lower(const Table* table, uint64_t entry) noexcept nogil:
    """The lower bound in an entry."""
    return (entry >> table.tag_bits) & (((<uint64_t>1) << table.bound_bits) - 1)


cdef inline int table_upper(const Table* table, uint64_t entry) noexcept nogil:
    """The upper bound in an entry."""
    return entry >> (64 - table.bound_bits)


cdef inline uint64_t* table_find(const Table* table, uint64_t* bucket, uint64_t tag) noexcept nogil:
    """The entry of a tag, or NULL."""
    cdef int shift = 64 - table.tag_bits
    cdef int found = 0
    cdef int i
    # Without a branch for each way, which could not be predicted; a tag is in one of them at most.
    for i in range(WAYS):
        found |= (not (bucket[i] ^ tag) << shift) << i
    return bucket + trailing_zeros(found) if found else NULL


cdef inline uint64_t* table_place(Table* table, uint64_t key, uint64_t tag) noexcept nogil:
    """The entry of a tag, or else one to overwrite; a bucket is kept in the order in which its entries came."""
    cdef uint64_t* bucket = table_bucket(table, key)
    cdef uint64_t* entry = table_find(table, bucket, tag)
    cdef int i
    if entry is not NULL:
        return entry
    table.used += 1
    if table.used > <uint32_t>(WAYS // 2) << table.bits and table.bits < table.max_bits:
        table_grow(table)
        bucket = table_bucket(table, key)
    for i in range(WAYS - 1, 0, -1):
        bucket[i] = bucket[i - 1]
    return bucket
