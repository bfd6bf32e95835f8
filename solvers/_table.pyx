"""Making, freeing and emptying transposition tables."""

from libc.stdlib cimport calloc, free
from libc.string cimport memset
from libc.stdint cimport uint64_t


cdef extern from "stdlib.h" nogil:
    void* aligned_alloc(size_t alignment, size_t size)


cdef Table* table_new(int bits) noexcept nogil:
    """A table of 1 << bits buckets, or NULL if there is no memory for it."""
    cdef Table* table = <Table*>calloc(1, sizeof(Table))
    if table is NULL:
        return NULL
    table.bits = bits
    table.generation = 1
    table.entries = <uint64_t*>aligned_alloc(64, (WAYS * sizeof(uint64_t)) << bits)
    if table.entries is NULL:
        free(table)
        return NULL
    memset(table.entries, 0, (WAYS * sizeof(uint64_t)) << bits)
    return table


cdef void table_free(Table* table) noexcept nogil:
    if table is not NULL:
        free(table.entries)
        free(table)


cdef void table_forget(Table* table) noexcept nogil:
    """Empties a table; only every LAST_GENERATION times does that touch its memory."""
    table.generation += 1
    if table.generation > LAST_GENERATION:
        memset(table.entries, 0, (WAYS * sizeof(uint64_t)) << table.bits)
        table.generation = 1
