"""Solving many positions on several threads, each with memory of its own."""

import os
import threading
import weakref
from dataclasses import replace
from functools import partial
from libc.math cimport INFINITY
from libc.stdint cimport int16_t, int64_t
from libc.stdlib cimport calloc, free

cimport cython

from skat_env._position cimport index_of
from skat_env.solvers._answer cimport Answer, solution_of
from skat_env.solvers._limits cimport Watch, watch_begin, watch_ended, watch_raise

import numpy as np

from skat_env.cards import mask_of
from skat_env.options import check_list, shown
from skat_env.solvers.question import OpenCardQuestion
from skat_env.tools._threads import run_threads

cdef extern from *:
    """
    static inline long long solvers_next(long long* counter)
    { return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }
    """
    int64_t next_of "solvers_next"(long long* counter) noexcept nogil


cdef Crew crew_of(const Kernel* kernel):
    """A crew that has no memory yet."""
    cdef Crew crew = Crew.__new__(Crew)
    crew.kernel = kernel
    return crew


@cython.final
cdef class Crew:
    """The threads of a solver. Calls from several Python threads wait for each other: give each its own solver."""

    def __cinit__(self):
        self.lock = threading.Lock()
        _CREWS.add(self)

    def __dealloc__(self):
        cdef int i
        for i in range(MAX_THREADS):
            if self.memory[i] is not NULL:
                self.kernel.memory_free(self.memory[i])

    cdef list solve_many(self, object positions, object question, object threads):
        """The solutions of positions, in their order."""
        cdef int64_t i
        cdef Answer* answers
        positions = check_list("solve_many", "positions", positions)
        answers = self.answers(positions, question, threads)
        try:
            return [solution_of(answers + i) for i in range(len(positions))]
        finally:
            free(answers)

    cdef object action_values(self, object positions, object question, object actions, object threads):
        """The least values after some actions, legal in all positions, int16 [positions, actions]."""
        cdef int64_t i, k
        cdef Answer* answers
        cdef int action
        cdef int16_t[:, ::1] values
        positions = check_list("action_values", "positions", positions)
        actions = check_list("action_values", "actions", actions)
        for each in actions:
            if index_of(each, 32) < 0:
                raise ValueError(f"actions {shown(actions)}: {shown(each)} is not in 0..31")
        if not isinstance(question, OpenCardQuestion):
            raise TypeError(f"a solver takes a Question, not {shown(question)}")
        asked = replace(question, actions=True, cards=mask_of(actions), line=False)
        made = np.empty((len(positions), len(actions)), np.int16)
        values = made
        answers = self.answers(positions, asked, threads)
        try:
            for k in range(len(actions)):
                action = actions[k]
                for i in range(len(positions)):
                    if not answers[i].legal >> action & 1:
                        raise ValueError(f"actions {shown(actions)}: {action} is not legal in position {i}")
                    values[i, k] = answers[i].action_lower[action]
            return made
        finally:
            free(answers)

    cdef Answer* answers(self, list positions, object question, object threads) except NULL:
        """The answers for positions, in their order; to be freed."""
        cdef int64_t i
        cdef int64_t count = len(positions)
        cdef char* problems
        cdef Answer* answers
        cdef int workers = index_of(threads, MAX_THREADS + 1)
        if workers < 1:
            raise ValueError(f"threads {shown(threads)} is not in 1..{MAX_THREADS}")
        problems = <char*>calloc(count + 1, self.kernel.problem_size)
        answers = <Answer*>calloc(count + 1, sizeof(Answer))
        try:
            if problems is NULL or answers is NULL:
                raise MemoryError(f"no memory for {count} positions")
            for i in range(count):
                self.kernel.read(positions[i], question, problems + i * self.kernel.problem_size)
            self.solve_batch(problems, answers, count, workers)
        except BaseException:
            free(answers)
            raise
        finally:
            free(problems)
        return answers

    cdef int solve_batch(self, const void* problems, Answer* answers, int64_t count, int threads) except -1:
        """Solves problems (unchecked) on several threads, with the GIL released.

        The answers do not depend on the number of threads, if none depends on what its memory was used for before.
        """
        cdef long long counter = 0
        cdef Watch watch
        cdef int i
        threads = max(1, min(threads, count))
        with self.lock:
            for i in range(threads):
                if self.memory[i] is NULL:
                    self.memory[i] = self.kernel.memory_new(0)
                    if self.memory[i] is NULL:
                        raise MemoryError(f"no memory for the table of thread {i}")
            watch_begin(&watch)
            if threads == 1:
                with nogil:
                    work(self.kernel, self.memory[0], problems, answers, count, &counter, &watch)
                watch_raise(&watch)
                return 0
            watch.hear_at = INFINITY    # this thread waits, and hears them itself
            run_threads(run_worker, [
                (
                    <size_t>self.kernel, <size_t>self.memory[i], <size_t>problems, <size_t>answers, count,
                    <size_t>&counter, <size_t>&watch
                )
                for i in range(threads)
            ], partial(end_workers, <size_t>&watch))
        return 0


cdef void work(
    const Kernel* kernel, void* memory, const void* problems, Answer* answers, int64_t count, long long* counter,
    Watch* watch
) noexcept nogil:
    """Solves the problems that no other thread has taken, until a watch ends."""
    cdef int64_t i = next_of(counter)
    while i < count and not watch_ended(watch):
        kernel.solve(<const char*>problems + i * kernel.problem_size, memory, answers + i, watch)
        i = next_of(counter)


def run_worker(
    size_t kernel, size_t memory, size_t problems, size_t answers, int64_t count, size_t counter, size_t watch
):
    """The body of a thread of `Crew.solve_batch`; takes addresses."""
    with nogil:
        work(
            <const Kernel*>kernel, <void*>memory, <const void*>problems, <Answer*>answers, count, <long long*>counter,
            <Watch*>watch
        )


def end_workers(size_t watch):
    """Ends the threads that have a watch; takes its address."""
    (<Watch*>watch).ended = True


def _forget_other_threads():
    """Frees the crews of a forked child from threads that it does not have, and would wait for.

    Their memory is left as it is: it may be half-written, or in use by the thread that forked.
    """
    cdef Crew crew
    cdef int i
    for each in _CREWS:
        crew = each
        if crew.lock.locked():
            crew.lock = threading.Lock()
            for i in range(MAX_THREADS):
                crew.memory[i] = NULL


_CREWS = weakref.WeakSet()
os.register_at_fork(after_in_child=_forget_other_threads)
