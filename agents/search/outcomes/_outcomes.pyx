"""The outcomes of a set of worlds: one bit for each outcome of each world, in vectors of 64-bit words.

Outcomes are bits, so that the least of two vectors is their `and`. Outcomes of several levels of one world (31, 61 and
90 points) are a thermometer, whose least is the `and`, too.
"""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from cpython.exc cimport PyErr_CheckSignals

from skat_env.solvers._followed cimport FollowedWorlds
from skat_env.solvers._limits cimport now, watch_begin, watch_ended, watch_raise

import numpy as np

from skat_env.options import check_array
from skat_env.tools._threads import run_threads

cdef enum:
    NODES_PER_LOOK = 64     # nodes between two readings of the clock


cdef class OutcomeWorlds:
    """Followed worlds, and what their outcomes are worth."""

    def __cinit__(
        self, FollowedWorlds worlds not None, parts, targets, bint reaching, weights, double deadline=0.0
    ):
        cdef int i, j
        cdef const int32_t[:, ::1] aims = check_array("a tree", "targets", np.int32, targets, 2)
        self.worlds = worlds
        self.levels = aims.shape[1]
        self.seats = worlds.game.seats
        self.dims = worlds.count * self.levels
        self.words = (self.dims + 63) // 64
        self.targets = <int32_t*>calloc(self.dims, sizeof(int32_t))
        self.gains = <double*>calloc(self.dims, sizeof(double))
        self.reaching = reaching
        if self.targets is NULL or self.gains is NULL:
            raise MemoryError()
        for i in range(self.seats):
            self.part[i] = parts[i]
        for i in range(worlds.count):
            for j in range(self.levels):
                self.targets[i * self.levels + j] = aims[i, j]
                self.gains[i * self.levels + j] = weights[i]
        self.deadline = deadline
        watch_begin(&self.watch)

    def __dealloc__(self):
        free(self.targets)
        free(self.gains)

    cdef double sum_of(self, const uint64_t* v) noexcept nogil:
        """What the outcomes of a vector are worth, added in ascending order."""
        cdef double total = 0
        cdef uint64_t word
        cdef int i
        for i in range(self.words):
            word = v[i]
            while word:
                total += self.gains[64 * i + low_bit(word)]
                word &= word - 1
        return total

    cdef int worlds_in(self, const uint64_t* dims) noexcept nogil:
        """The number of worlds that have outcomes in a vector: 0, 1, or 2 for more."""
        cdef uint64_t word
        cdef int first = -1
        cdef int i, world
        for i in range(self.words):
            word = dims[i]
            while word:
                world = (64 * i + low_bit(word)) // self.levels
                if first >= 0 and world != first:
                    return 2
                first = world
                word &= word - 1
        return first >= 0

    cdef int first_world(self, const uint64_t* dims) noexcept nogil:
        cdef int i
        for i in range(self.words):
            if dims[i]:
                return (64 * i + low_bit(dims[i])) // self.levels
        return -1

    cdef void push(self, const uint64_t* dims, int action) noexcept nogil:
        """Plays an action in all worlds that have outcomes in a vector."""
        cdef int last = -1
        cdef uint64_t word
        cdef int i, world
        for i in range(self.words):
            word = dims[i]
            while word:
                world = (64 * i + low_bit(word)) // self.levels
                word &= word - 1
                if world != last:
                    self.worlds.game.push(self.worlds.position(world), action)
                    last = world

    cdef void pop(self, const uint64_t* dims) noexcept nogil:
        cdef int last = -1
        cdef uint64_t word
        cdef int i, world
        for i in range(self.words):
            word = dims[i]
            while word:
                world = (64 * i + low_bit(word)) // self.levels
                word &= word - 1
                if world != last:
                    self.worlds.game.pop(self.worlds.position(world))
                    last = world

    cdef void ask(self, const uint64_t* dims, uint64_t* out) noexcept nogil:
        """The outcomes in a vector that are had with open cards from here on."""
        cdef uint64_t word
        cdef int i, dim, world
        for i in range(self.words):
            out[i] = 0
            word = dims[i]
            while word:
                dim = 64 * i + low_bit(word)
                word &= word - 1
                world = dim // self.levels
                self.asked += 1
                if self.worlds.holds(world, self.targets[dim]) == self.reaching:
                    out[i] |= (<uint64_t>1) << (dim & 63)

    cdef uint64_t split(self, const uint64_t* dims, uint64_t* by_action, uint64_t* forced) noexcept nogil:
        """The actions that are legal in some world; for each its outcomes, and those of worlds with a single action.

        `by_action`: `words` words for each of 64 actions.
        """
        cdef uint64_t all = 0
        cdef uint64_t legal = 0
        cdef uint64_t word, rest
        cdef int last = -1
        cdef int i, dim, world, action
        memset(forced, 0, self.words * sizeof(uint64_t))
        for i in range(self.words):
            word = dims[i]
            while word:
                dim = 64 * i + low_bit(word)
                word &= word - 1
                world = dim // self.levels
                if world != last:
                    legal = self.worlds.game.legal(self.worlds.position(world))
                    last = world
                rest = legal
                if not rest & (rest - 1):
                    forced[i] |= (<uint64_t>1) << (dim & 63)
                while rest:
                    action = low_bit(rest)
                    rest &= rest - 1
                    if not all >> action & 1:
                        all |= (<uint64_t>1) << action
                        memset(by_action + action * self.words, 0, self.words * sizeof(uint64_t))
                    by_action[action * self.words + i] |= (<uint64_t>1) << (dim & 63)
        return all

    cdef bint must_stop(self) noexcept nogil:
        """Counts a node; whether the search must end."""
        self.nodes += 1
        if not self.stopped and self.nodes % NODES_PER_LOOK == 1:
            self.stopped = watch_ended(&self.watch) or (self.deadline > 0 and now() >= self.deadline)
        return self.stopped

    cdef object rows(self, const uint64_t* bits, int count):
        """Vectors as uint8 [count, outcomes]."""
        cdef int i, j
        cdef uint8_t[:, ::1] out = np.zeros((count, self.dims), np.uint8)
        for i in range(count):
            for j in range(self.dims):
                out[i, j] = bits[i * self.words + (j >> 6)] >> (j & 63) & 1
        return out.base

    cdef int check(self) except -1:
        """Raises what ended a search, but for its deadline."""
        if self.broke:
            raise MemoryError("no memory for the vectors of a search")
        return watch_raise(&self.watch)

    def open_outcomes(self, actions, int threads=1):
        """The outcomes after each action with open cards, uint8 [actions, outcomes]."""
        cdef int i
        cdef list order = [int(action) for action in actions]
        cdef uint8_t[:, ::1] out = np.zeros((len(order), self.dims), np.uint8)
        count = self.worlds.count
        threads = max(1, min(threads, count))
        self.asked += len(order) * self.dims
        if threads == 1:
            self._fill(order, out, 0, 1)
        else:
            run_threads(self._fill, [(order, out, i, threads) for i in range(threads)], self._halt)
        return out.base

    def _halt(self):
        """Ends the threads of `open_outcomes`."""
        self.stopped = True

    def _fill(self, list order, uint8_t[:, ::1] out, int first, int step):
        """The open outcomes of every `step`-th world from the first on."""
        cdef int world = first
        cdef int i, j, dim, action
        cdef void* position
        while world < self.worlds.count and not self.stopped:
            position = self.worlds.position(world)
            for i in range(len(order)):
                action = order[i]
                with nogil:
                    self.worlds.game.push(position, action)
                    for j in range(self.levels):
                        dim = world * self.levels + j
                        out[i, dim] = self.worlds.holds(world, self.targets[dim]) == self.reaching
                    self.worlds.game.pop(position)
            PyErr_CheckSignals()
            world += step
