"""Trees of what a set of worlds come to: Pareto fronts (`_fronts`), and single vectors that a rule backs up."""

from libc.math cimport INFINITY
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset

from skat_env.agents.search.outcomes._fronts cimport FrontTree
from skat_env.agents.search.outcomes._outcomes cimport OPPONENT, OWN, PARTNER, low_bit

cdef enum:
    ACTIONS = 64

cdef double TIE = 1e-9              # sums closer than this are equal, as in PIMC


cdef class OutcomeTree(FrontTree):
    """A tree over followed worlds."""

    cdef int back_up(self, const uint64_t* dims, int rule, int left, uint64_t* out) noexcept nogil:
        """The one vector that a rule backs up from a node.

        Args:
            dims: the outcomes of the worlds here.
            left: moves to be looked ahead: own ones, for POSTPONED those of all seats.
        """
        cdef int words = self.words
        cdef int world = self.first_world(dims)
        cdef int seat, part, action, j
        cdef double best = -INFINITY
        cdef double total
        cdef uint64_t legal, rest
        cdef uint64_t* by_action
        cdef uint64_t* values
        cdef uint64_t* here
        cdef uint64_t* v
        memset(out, 0, words * sizeof(uint64_t))
        if world < 0:
            return 0
        if self.must_stop():
            return -1
        seat = self.worlds.game.to_act(self.worlds.position(world))
        if left == 0 or seat < 0 or self.worlds_in(dims) == 1:
            self.ask(dims, out)
            return 0
        by_action = <uint64_t*>malloc((2 * ACTIONS + 2) * words * sizeof(uint64_t))
        if by_action is NULL:
            self.stopped = self.broke = True
            return -1
        values = by_action + ACTIONS * words
        here = values + ACTIONS * words
        v = here + words
        part = self.part[seat]
        memcpy(here, dims, words * sizeof(uint64_t))
        if rule == REDUCED and part == OPPONENT:
            self.ask(dims, here)
        legal = self.split(here, by_action, v)
        rest = legal
        while rest and not self.stopped:
            action = low_bit(rest)
            rest &= rest - 1
            self.push(by_action + action * words, action)
            self.back_up(
                by_action + action * words, rule, left - (rule == POSTPONED or part == OWN), values + action * words
            )
            self.pop(by_action + action * words)
        if rule == POSTPONED and part != OWN:
            self.back_up_groups(here, seat, legal, by_action, values, out)
        else:
            if part == OPPONENT:
                memcpy(out, here, words * sizeof(uint64_t))
            rest = legal
            while rest:
                action = low_bit(rest)
                rest &= rest - 1
                if part == OWN:
                    total = self.sum_of(values + action * words)
                    if total > best + TIE:
                        best = total
                        memcpy(out, values + action * words, words * sizeof(uint64_t))
                    continue
                for j in range(words):
                    if part == OPPONENT:
                        out[j] &= values[action * words + j] | ~by_action[action * words + j]
                    else:
                        out[j] |= values[action * words + j]
        free(by_action)
        return 0

    cdef int back_up_groups(
        self, const uint64_t* dims, int seat, uint64_t legal, const uint64_t* by_action, const uint64_t* values,
        uint64_t* out
    ) noexcept nogil:
        """A seat chooses for the worlds that look the same to it, by the sum of the outcomes there."""
        cdef int words = self.words
        cdef int i, dim, world, last, action, choice
        cdef bint alike
        cdef uint64_t word, rest
        cdef double best, total
        cdef double sign = 1 if self.part[seat] == PARTNER else -1
        cdef size_t size = self.worlds.game.size
        cdef uint64_t* open = <uint64_t*>malloc(3 * words * sizeof(uint64_t) + 2 * size)
        cdef uint64_t* group = open + words
        cdef uint64_t* v = group + words
        cdef char* view = <char*>(v + words)
        if open is NULL:
            self.stopped = self.broke = True
            return -1
        memcpy(open, dims, words * sizeof(uint64_t))
        world = self.first_world(open)
        while world >= 0:
            memcpy(view, self.worlds.position(world), size)
            self.worlds.game.hide(view, seat)
            last = world
            alike = True
            for i in range(words):
                group[i] = 0
                word = open[i]
                while word:
                    dim = 64 * i + low_bit(word)
                    word &= word - 1
                    if dim // self.levels != last:
                        last = dim // self.levels
                        memcpy(view + size, self.worlds.position(last), size)
                        self.worlds.game.hide(view + size, seat)
                        alike = not memcmp(view, view + size, size)
                    if alike:
                        group[i] |= (<uint64_t>1) << (dim & 63)
            best = -INFINITY
            choice = -1
            rest = self.worlds.game.legal(self.worlds.position(world))
            while rest:
                action = low_bit(rest)
                rest &= rest - 1
                for i in range(words):
                    v[i] = values[action * words + i] & group[i]
                total = sign * self.sum_of(v)
                if total > best + TIE:
                    best = total
                    choice = action
            for i in range(words):
                out[i] |= values[choice * words + i] & group[i]
                open[i] &= ~group[i]
            world = self.first_world(open)
        free(open)
        return 0

    def vector(self, int action, int rule, int left):
        """The vector that a rule backs up after an action, uint8 [outcomes]; None: the deadline has passed.

        Args:
            left: moves to be looked ahead after it: own ones, for POSTPONED those of all seats.
        """
        cdef int i
        cdef uint64_t* dims = <uint64_t*>calloc(2 * self.words, sizeof(uint64_t))
        if dims is NULL:
            raise MemoryError()
        try:
            for i in range(self.dims):
                dims[i >> 6] |= (<uint64_t>1) << (i & 63)
            with nogil:
                self.push(dims, action)
                self.back_up(dims, rule, left, dims + self.words)
                self.pop(dims)
            self.check()
            return None if self.stopped else self.rows(dims + self.words, 1)[0]
        finally:
            free(dims)
