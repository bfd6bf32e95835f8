"""Making, freeing and emptying transposition tables."""

from libc.stdlib cimport calloc, free
from libc.string cimport memset
from libc.stdint cimport uint64_t


cdef enum:
    FIRST_BITS = 12         # 128 KiB: most questions are answered within the caches of a core
    LINE = 64               # bytes of a cache line, to which buckets are aligned


cdef Table* table_new(int max_bits, int key_bits, int bound_bits) noexcept nogil:
    """A table that grows up to 1 << max_bits buckets, or NULL if there is no memory for it.

    The bits that a key and two bounds leave of a word count generations: the more there are, the less often the table
    is cleared.
    """
    cdef Table* table = <Table*>calloc(1, sizeof(Table))
    cdef size_t size = (WAYS * sizeof(uint64_t)) << max_bits
    if table is NULL:
        return NULL
    # Pages that calloc hands out are touched when they are first written: a table takes the memory that it has used.
    table.memory = calloc(1, size + LINE)
    if table.memory is NULL:
        free(table)
        return NULL
    table.entries = <uint64_t*>(<size_t>table.memory + LINE - <size_t>table.memory % LINE)
    table.max_bits = max_bits
    table.written_bits = FIRST_BITS
    table.key_bits = key_bits
    table.bound_bits = bound_bits
    table.tag_bits = 64 - 2 * bound_bits
    table_forget(table)
    return table


cdef void table_free(Table* table) noexcept nogil:
    if table is not NULL:
        free(table.memory)
        free(table)


cdef void table_forget(Table* table) noexcept nogil:
    """Empties a table; only when its generations are used up does that touch its memory."""
    table.bits = FIRST_BITS
    table.used = 0
    table.generation += 1
    if table.generation >> (table.tag_bits - table.key_bits):
        memset(table.entries, 0, (WAYS * sizeof(uint64_t)) << table.written_bits)
        table.written_bits = FIRST_BITS
        table.generation = 1


cdef void table_grow(Table* table) noexcept nogil:
    """Doubles the buckets in use: from the last one down, each gives its entries to two."""
    cdef uint64_t bucket[WAYS]
    cdef uint64_t* halves
    cdef uint64_t i, key
    cdef int way, half
    cdef int filled[2]
    for i in range(1 << table.bits, 0, -1):
        for way in range(WAYS):
            bucket[way] = table.entries[WAYS * (i - 1) + way]
        halves = table.entries + 2 * WAYS * (i - 1)
        filled[0] = filled[1] = 0
        for way in range(WAYS):
            key = bucket[way] & ((<uint64_t>1 << table.key_bits) - 1)
            if not (bucket[way] ^ table_tag(table, key)) << (64 - table.tag_bits):
                half = table_hash(key) >> (63 - table.bits) & 1
                halves[WAYS * half + filled[half]] = bucket[way]
                filled[half] += 1
        for half in range(2):
            for way in range(filled[half], WAYS):
                halves[WAYS * half + way] = 0
    table.bits += 1
    table.written_bits = max(table.written_bits, table.bits)
