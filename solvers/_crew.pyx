"""Solving many problems on some threads, each with memory of its own."""

import threading
from libc.stdint cimport int64_t

cimport cython


cdef extern from *:
    """
    static inline long long solvers_next(long long* counter)
    { return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }
    """
    int64_t next_of "solvers_next"(long long* counter) noexcept nogil


cdef Crew crew_of(const Trade* trade):
    """A crew that has no memory yet."""
    cdef Crew crew = Crew.__new__(Crew)
    crew.trade = trade
    return crew


@cython.final
cdef class Crew:
    """The threads of a solver. Calls from several Python threads wait for each other: give each its own solver."""

    def __cinit__(self):
        self.lock = threading.Lock()

    def __dealloc__(self):
        cdef int i
        for i in range(MAX_THREADS):
            if self.memory[i] is not NULL:
                self.trade.memory_free(self.memory[i])

    cdef int solve_batch(self, const void* problems, void* answers, int64_t count, int threads) except -1:
        """Solves problems (unchecked) on some threads, with the GIL released.

        The answers do not depend on how many there are, as long as none depends on what its memory was used for before.
        """
        cdef long long counter = 0
        cdef int i
        threads = max(1, min(threads, count))
        with self.lock:
            for i in range(threads):
                if self.memory[i] is NULL:
                    self.memory[i] = self.trade.memory_new()
                    if self.memory[i] is NULL:
                        raise MemoryError(f"no memory for the table of thread {i}")
            if threads == 1:
                with nogil:
                    work(self.trade, self.memory[0], problems, answers, count, &counter)
                return 0
            workers = [
                threading.Thread(target=run_worker, args=(
                    <size_t>self.trade, <size_t>self.memory[i], <size_t>problems, <size_t>answers, count,
                    <size_t>&counter))
                for i in range(threads)
            ]
            try:
                for worker in workers:
                    worker.start()
                for worker in workers:
                    worker.join()
            finally:
                # After an interrupt nothing new is begun, and nobody writes to memory that the caller frees.
                counter = count
                for worker in workers:
                    if worker.is_alive():
                        worker.join()
        return 0


cdef void work(
    const Trade* trade, void* memory, const void* problems, void* answers, int64_t count, long long* counter
) noexcept nogil:
    """Solves the problems that no other thread has taken."""
    cdef int64_t i = next_of(counter)
    while i < count:
        trade.solve(<const char*>problems + i * trade.problem_size, memory, <char*>answers + i * trade.answer_size)
        i = next_of(counter)


def run_worker(size_t trade, size_t memory, size_t problems, size_t answers, int64_t count, size_t counter):
    """The body of a thread of `Crew.solve_batch`; takes addresses."""
    with nogil:
        work(<const Trade*>trade, <void*>memory, <const void*>problems, <void*>answers, count, <long long*>counter)
