"""Solving many positions on several threads, each with memory of its own."""

from libc.stdint cimport int64_t

from skat_env.solvers._answer cimport Answer
from skat_env.solvers._limits cimport Watch

cdef enum:
    MAX_THREADS = 64


ctypedef struct Kernel:
    # The solver of one game; a problem is a plain struct of its own.
    size_t problem_size                                                 # bytes of a problem
    int (*read)(object, object, void*) except -1                        # position, question, problem to write
    void* (*memory_new)(int) noexcept nogil                             # a thread's memory, or NULL; its tables may
                                                                        # be smaller by so many bits
    void (*memory_free)(void*) noexcept nogil                           # takes NULL too
    void (*solve)(const void*, void*, Answer*, Watch*) noexcept nogil   # problem, memory, answer to write, watch
    # Solvers whose tables can be kept while a game goes on; 0 and NULL in others.
    size_t following_size                                               # bytes of what `follow` writes
    void (*follow)(const void*, void*, void*) noexcept nogil            # problem, memory, following to write
    bint (*reached)(void*, const void*, int) noexcept nogil             # following, a later position's struct, target


cdef class Crew:
    cdef const Kernel* kernel
    cdef void* memory[MAX_THREADS]      # one per thread, made when first needed
    cdef object lock                    # held while the memory is in use
    cdef object __weakref__
    cdef list solve_many(self, object positions, object question, object threads)
    cdef object action_values(self, object positions, object question, object actions, object threads)
    cdef Answer* answers(self, list positions, object question, object threads) except NULL
    cdef int solve_batch(self, const void* problems, Answer* answers, int64_t count, int threads) except -1


cdef Crew crew_of(const Kernel* kernel)
