"""Solving many problems on some threads, each with memory of its own; problems and answers are plain structs."""

from libc.stdint cimport int64_t

cdef enum:
    MAX_THREADS = 64


ctypedef struct Trade:
    # What a solver of one game gives.
    size_t problem_size         # bytes of a problem
    size_t answer_size          # bytes of an answer
    void* (*memory_new)() noexcept nogil                                # a thread's memory, or NULL
    void (*memory_free)(void*) noexcept nogil                           # takes NULL too
    void (*solve)(const void*, void*, void*) noexcept nogil             # problem, memory, answer to write


cdef class Crew:
    cdef const Trade* trade             # set by its owner before the first call
    cdef void* memory[MAX_THREADS]      # one a thread, made when first needed
    cdef object lock                    # held while the memory is in use
    cdef int solve_batch(self, const void* problems, void* answers, int64_t count, int threads) except -1


cdef Crew crew_of(const Trade* trade)
