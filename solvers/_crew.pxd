"""Solving many positions on several threads, each with memory of its own."""

from libc.stdint cimport int64_t

from solvers._answer cimport Answer

cdef enum:
    MAX_THREADS = 64


ctypedef struct Kernel:
    # The solver of one game; a problem is a plain struct of its own.
    size_t problem_size                                                 # bytes of a problem
    int (*read)(object, object, void*) except -1                        # position, question, problem to write
    void* (*memory_new)() noexcept nogil                                # a thread's memory, or NULL
    void (*memory_free)(void*) noexcept nogil                           # takes NULL too
    void (*solve)(const void*, void*, Answer*) noexcept nogil           # problem, memory, answer to write


cdef class Crew:
    cdef const Kernel* kernel
    cdef void* memory[MAX_THREADS]      # one a thread, made when first needed
    cdef object lock                    # held while the memory is in use
    cdef object __weakref__
    cdef list solve_many(self, object positions, object question, object threads)
    cdef int solve_batch(self, const void* problems, Answer* answers, int64_t count, int threads) except -1


cdef Crew crew_of(const Kernel* kernel)
