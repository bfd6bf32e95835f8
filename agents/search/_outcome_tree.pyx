"""Trees of what a set of worlds come to: vectors of outcomes, one bit for each outcome of each world.

A strategy of the searching seat has a vector: the outcomes that it gets in each world if all others see all cards, the
opponents against it and its partners for it. An opponent's node is the least of its moves, outcome by outcome, a
partner's the largest, and an own node a choice, so that its result is a Pareto front of vectors (Cazenave and Ventos
2019). All states of a node have the same history; they differ in the worlds, and in which worlds a move is legal.

Outcomes are bits, so that the least of two vectors is their `and`. Outcomes of several levels of one world (31, 61 and
90 points) are a thermometer, whose least is the `and`, too.

What is cut (`search`), and why it cannot matter:
- An outcome that open cards rule out somewhere on the way is lost in all strategies below (useless worlds, Cazenave,
  Legras and Ventos 2021). At an opponent's node it stays possible after each of his moves, so nothing is asked there.
- One world left is open cards.
- A *context* says what the outcomes of the whole tree are at most, if a node contributes all it can: the siblings of
  the opponents' moves on the way are known. A vector is of no use if in each context the sum falls below the best of
  the root (`need`), or nothing is above what an own choice on the way already has (early cut).
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset

from cpython.exc cimport PyErr_CheckSignals

from skat_env._bits cimport trailing_zeros
from skat_env.solvers._followed cimport FollowedWorlds
from skat_env.solvers._limits cimport now

import threading

import numpy as np

from skat_env.options import check_array

cdef enum:
    NODES_PER_LOOK = 64     # nodes between two readings of the clock
    ACTIONS = 64

cdef double SIGNALS_EVERY = 0.02    # seconds
cdef double TIE = 1e-9              # sums closer than this are equal, as in PIMC


cdef inline int low_bit(uint64_t bits) noexcept nogil:
    return trailing_zeros(<uint32_t>bits) if <uint32_t>bits else 32 + trailing_zeros(<uint32_t>(bits >> 32))


cdef inline bint is_empty(const uint64_t* v, int words) noexcept nogil:
    cdef int i
    for i in range(words):
        if v[i]:
            return False
    return True


cdef inline bint within(const uint64_t* v, const uint64_t* other, int words) noexcept nogil:
    """Whether all bits of a vector are in another."""
    cdef int i
    for i in range(words):
        if v[i] & ~other[i]:
            return False
    return True


cdef inline bint same(const uint64_t* v, const uint64_t* other, int words) noexcept nogil:
    cdef int i
    for i in range(words):
        if v[i] != other[i]:
            return False
    return True


cdef inline void front_clear(Front* front) noexcept nogil:
    front.count = 0


cdef inline void front_free(Front* front) noexcept nogil:
    free(front.bits)
    front.bits = NULL
    front.count = front.room = 0


cdef class OutcomeTree:
    """A tree over followed worlds."""

    def __cinit__(
        self, FollowedWorlds worlds not None, parts, targets, reaching, weights, gains, double deadline=0.0
    ):
        cdef int i, j
        cdef const int32_t[:, ::1] aims = check_array("a tree", "targets", np.int32, targets, 2)
        self.worlds = worlds
        self.levels = len(gains)
        self.seats = worlds.game.seats
        self.dims = worlds.count * self.levels
        self.words = (self.dims + 63) // 64
        self.targets = <int32_t*>calloc(self.dims, sizeof(int32_t))
        self.gains = <double*>calloc(self.dims, sizeof(double))
        self.reaching = <uint8_t*>calloc(worlds.count, 1)
        if self.targets is NULL or self.gains is NULL or self.reaching is NULL:
            raise MemoryError()
        for i in range(self.seats):
            self.part[i] = parts[i]
        for i in range(worlds.count):
            self.reaching[i] = reaching[i]
            for j in range(self.levels):
                self.targets[i * self.levels + j] = aims[i, j]
                self.gains[i * self.levels + j] = weights[i] * gains[j]
        self.deadline = deadline

    def __dealloc__(self):
        free(self.targets)
        free(self.gains)
        free(self.reaching)

    # --- vectors ---

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

    cdef int add(self, Front* front, const uint64_t* v) noexcept nogil:
        """Adds a vector to a front, unless one there is as good everywhere, and takes out those that are no better."""
        cdef int words = self.words
        cdef int i, kept
        cdef uint64_t* bits
        for i in range(front.count):
            if within(v, front.bits + i * words, words):
                return 0
        kept = 0
        for i in range(front.count):
            if not within(front.bits + i * words, v, words):
                if kept != i:
                    memcpy(front.bits + kept * words, front.bits + i * words, words * sizeof(uint64_t))
                kept += 1
        if kept == front.room:
            bits = <uint64_t*>realloc(front.bits, (2 * front.room + 4) * words * sizeof(uint64_t))
            if bits is NULL:
                self.stopped = self.broke = True
                return -1
            front.bits = bits
            front.room = 2 * front.room + 4
        memcpy(front.bits + kept * words, v, words * sizeof(uint64_t))
        front.count = kept + 1
        if front.count > self.largest:
            self.largest = front.count
        return 0

    cdef bint fits(self, const uint64_t* x, const Above* above) noexcept nogil:
        """Whether outcomes of the whole tree are worth enough, and more than what the own choices above already have."""
        cdef int words = self.words
        cdef int i, j
        cdef bint covered
        if self.sum_of(x) < self.need:
            return False
        while above is not NULL:
            for i in range(above.found.count):
                covered = True
                for j in range(words):
                    if x[j] & above.dims[j] & ~above.found.bits[i * words + j]:
                        covered = False
                        break
                if covered:
                    return False
            above = above.up
        return True

    cdef bint useful(
        self, const uint64_t* v, const uint64_t* bound, const Front* contexts, const Above* above
    ) noexcept nogil:
        """Whether a vector can be part of the result in some context."""
        cdef Front narrowed
        cdef bint found
        memset(&narrowed, 0, sizeof(Front))
        self.narrowed(v, bound, contexts, above, &narrowed)
        found = narrowed.count > 0
        front_free(&narrowed)
        return found

    cdef int narrowed(
        self, const uint64_t* v, const uint64_t* bound, const Front* contexts, const Above* above, Front* out
    ) noexcept nogil:
        """Adds to `out` the contexts in which a vector is of use, with what is left of them.

        `bound`: the outcomes for which the result is at most that of the vector.
        """
        cdef int words = self.words
        cdef uint64_t* x = <uint64_t*>malloc(words * sizeof(uint64_t))
        cdef int i, j
        if x is NULL:
            self.stopped = self.broke = True
            return -1
        for i in range(contexts.count):
            for j in range(words):
                x[j] = contexts.bits[i * words + j] & (v[j] | ~bound[j])
            if self.fits(x, above):
                self.add(out, x)
        free(x)
        return 0

    # --- worlds ---

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
                if self.worlds.holds(world, self.targets[dim]) == self.reaching[world]:
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
        cdef double time
        self.nodes += 1
        if self.stopped:
            return True
        if self.nodes % NODES_PER_LOOK != 1:
            return False
        time = now()
        if self.deadline > 0 and time >= self.deadline:
            self.stopped = True
        elif time >= self.heard:
            self.heard = time + SIGNALS_EVERY
            with gil:
                try:
                    PyErr_CheckSignals()
                except BaseException as error:
                    self.caught = error
                    self.stopped = True
        return self.stopped

    # --- Pareto fronts ---

    cdef int search(
        self, const uint64_t* dims, const uint64_t* bound, int m, const Front* contexts, const Above* above, Front* out
    ) noexcept nogil:
        """The front of a node, without vectors that are of no use in any context; empty if none is of use.

        Args:
            dims: the outcomes that are looked for, all of which are had here with open cards; not empty.
            bound: the outcomes for which the result is at most the vector of this node.
            m: own moves to be looked ahead.
        """
        cdef int part
        out.count = 0
        if self.must_stop():
            return -1
        cdef int world = self.first_world(dims)
        cdef int seat = self.worlds.game.to_act(self.worlds.position(world))
        if m == 0 or seat < 0 or self.worlds_in(dims) == 1:
            return self.add(out, dims)
        part = self.part[seat]
        if part == OWN:
            return self.choose(dims, bound, m, contexts, above, out)
        if part == OPPONENT:
            return self.oppose(dims, bound, m, contexts, above, out)
        return self.help(dims, bound, m, contexts, above, out)

    cdef int choose(
        self, const uint64_t* dims, const uint64_t* bound, int m, const Front* contexts, const Above* above, Front* out
    ) noexcept nogil:
        """An own node: all vectors of all moves."""
        cdef int words = self.words
        cdef uint64_t legal = self.worlds.game.legal(self.worlds.position(self.first_world(dims)))
        cdef int count = 0
        cdef int i, j, best, action
        cdef int actions[ACTIONS]
        cdef double sums[ACTIONS]
        cdef Front inner, found
        cdef Above here
        cdef uint64_t* values = <uint64_t*>malloc((ACTIONS + 1) * words * sizeof(uint64_t))
        cdef uint64_t* limit = values + ACTIONS * words
        if values is NULL:
            self.stopped = self.broke = True
            return -1
        memset(&inner, 0, sizeof(Front))
        memset(&found, 0, sizeof(Front))
        while legal and not self.stopped:
            action = low_bit(legal)
            legal &= legal - 1
            self.push(dims, action)
            self.ask(dims, values + count * words)
            self.pop(dims)
            actions[count] = action
            count += 1
            if m == 1:
                if self.useful(values + (count - 1) * words, bound, contexts, above):
                    self.add(out, values + (count - 1) * words)
                if same(values + (count - 1) * words, dims, words):
                    break
        if m > 1:
            here.found, here.dims, here.up = out, dims, above
            for i in range(count):
                sums[i] = self.sum_of(values + i * words)
            for i in range(count):
                best = 0
                for j in range(1, count):
                    if sums[j] > sums[best]:
                        best = j
                sums[best] = -INFINITY
                if is_empty(values + best * words, words):
                    if self.useful(values + best * words, bound, contexts, &here):
                        self.add(out, values + best * words)
                    continue
                front_clear(&inner)
                self.narrowed(values + best * words, bound, contexts, &here, &inner)
                if not inner.count:
                    self.cuts += 1
                    continue
                for j in range(words):
                    limit[j] = bound[j] & values[best * words + j]
                self.push(values + best * words, actions[best])
                self.search(values + best * words, limit, m - 1, &inner, &here, &found)
                self.pop(values + best * words)
                if self.stopped:
                    break
                for j in range(found.count):
                    self.add(out, found.bits + j * words)
                if out.count == 1 and same(out.bits, dims, words):
                    break
        front_free(&inner)
        front_free(&found)
        free(values)
        return 0

    cdef int oppose(
        self, const uint64_t* dims, const uint64_t* bound, int m, const Front* contexts, const Above* above, Front* out
    ) noexcept nogil:
        """An opponent's node: the least of all moves, for each choice of a vector after each of them."""
        cdef int words = self.words
        cdef int i, j, k, w, best, action
        cdef int count = 0
        cdef int actions[ACTIONS]
        cdef double sums[ACTIONS]
        cdef Front inner, found, least
        cdef uint64_t legal
        cdef uint64_t* after
        cdef uint64_t* by_action = <uint64_t*>malloc((ACTIONS + 2) * words * sizeof(uint64_t))
        cdef uint64_t* limit = by_action + ACTIONS * words
        cdef uint64_t* v = limit + words
        if by_action is NULL:
            self.stopped = self.broke = True
            return -1
        memset(&inner, 0, sizeof(Front))
        memset(&found, 0, sizeof(Front))
        memset(&least, 0, sizeof(Front))
        self.add(out, dims)
        legal = self.split(dims, by_action, v)
        while legal:
            action = low_bit(legal)
            legal &= legal - 1
            # After a move that shows the world nothing is lost.
            if self.worlds_in(by_action + action * words) > 1:
                actions[count] = action
                sums[count] = self.sum_of(by_action + action * words)
                count += 1
        for i in range(count):
            # What is possible in most worlds takes most away.
            best = 0
            for j in range(1, count):
                if sums[j] > sums[best]:
                    best = j
            sums[best] = -INFINITY
            after = by_action + actions[best] * words
            front_clear(&inner)
            for j in range(out.count):
                self.narrowed(out.bits + j * words, bound, contexts, above, &inner)
            if not inner.count:
                self.cuts += 1
                front_clear(out)
                break
            for j in range(words):
                limit[j] = bound[j] & after[j]
            self.push(after, actions[best])
            self.search(after, limit, m, &inner, above, &found)
            self.pop(after)
            if self.stopped:
                break
            if found.count == 1 and same(found.bits, after, words):
                continue
            front_clear(&least)
            for j in range(out.count):
                for k in range(found.count):
                    for w in range(words):
                        v[w] = out.bits[j * words + w] & (found.bits[k * words + w] | ~after[w])
                    if self.useful(v, bound, contexts, above):
                        self.add(&least, v)
            out[0], least = least, out[0]
            if not out.count or self.stopped:
                break
        front_free(&inner)
        front_free(&found)
        front_free(&least)
        free(by_action)
        return 0

    cdef int help(
        self, const uint64_t* dims, const uint64_t* bound, int m, const Front* contexts, const Above* above, Front* out
    ) noexcept nogil:
        """A partner's node: the largest of all moves, for each choice of a vector after each of them.

        What one move lacks another may have, so that only outcomes of worlds with a single move are bound by it.
        """
        cdef int words = self.words
        cdef int i, j, k
        cdef int count = 0
        cdef int action
        cdef Front inner, found, most
        cdef uint64_t legal
        cdef uint64_t* after
        cdef uint64_t* by_action = <uint64_t*>malloc((ACTIONS + 4) * words * sizeof(uint64_t))
        cdef uint64_t* limit = by_action + ACTIONS * words
        cdef uint64_t* v = limit + words
        cdef uint64_t* forced = v + words
        cdef uint64_t* value = forced + words
        if by_action is NULL:
            self.stopped = self.broke = True
            return -1
        memset(&inner, 0, sizeof(Front))
        memset(&found, 0, sizeof(Front))
        memset(&most, 0, sizeof(Front))
        memset(v, 0, words * sizeof(uint64_t))
        self.add(out, v)
        legal = self.split(dims, by_action, forced)
        while legal:
            action = low_bit(legal)
            legal &= legal - 1
            after = by_action + action * words
            self.push(after, action)
            self.ask(after, value)
            self.pop(after)
            if is_empty(value, words):
                continue
            front_clear(&inner)
            for j in range(words):
                limit[j] = bound[j] & forced[j] & value[j]
            self.narrowed(value, limit, contexts, above, &inner)
            if not inner.count:
                self.cuts += 1
                front_clear(out)
                break
            self.push(value, action)
            self.search(value, limit, m, &inner, above, &found)
            self.pop(value)
            if self.stopped:
                break
            if not found.count:
                front_clear(out)
                break
            front_clear(&most)
            for j in range(out.count):
                for k in range(found.count):
                    for i in range(words):
                        v[i] = out.bits[j * words + i] | found.bits[k * words + i]
                    self.add(&most, v)
            out[0], most = most, out[0]
            count += 1
            if out.count == 1 and same(out.bits, dims, words):
                break
        front_clear(&most)
        for j in range(out.count):
            if self.useful(out.bits + j * words, bound, contexts, above):
                self.add(&most, out.bits + j * words)
        out[0], most = most, out[0]
        front_free(&inner)
        front_free(&found)
        front_free(&most)
        free(by_action)
        return 0

    # --- single vectors ---

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

    # --- for Python ---

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
        if self.caught is not None:
            error, self.caught = self.caught, None
            raise error
        return 0

    def open_outcomes(self, actions, int threads=1):
        """The outcomes after each action with open cards, uint8 [actions, outcomes]."""
        cdef int i, j, k
        cdef list order = [int(action) for action in actions]
        cdef uint8_t[:, ::1] out = np.zeros((len(order), self.dims), np.uint8)
        count = self.worlds.count
        threads = max(1, min(threads, count))
        self.asked += len(order) * self.dims
        if threads == 1:
            self._fill(order, out, 0, 1)
            return out.base
        workers = [threading.Thread(target=self._fill, args=(order, out, i, threads)) for i in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return out.base

    def _fill(self, list order, uint8_t[:, ::1] out, int first, int step):
        """The open outcomes of every `step`-th world from the first on."""
        cdef int world = first
        cdef int i, j, dim, action
        cdef void* position
        while world < self.worlds.count:
            position = self.worlds.position(world)
            for i in range(len(order)):
                action = order[i]
                with nogil:
                    self.worlds.game.push(position, action)
                    for j in range(self.levels):
                        dim = world * self.levels + j
                        out[i, dim] = self.worlds.holds(world, self.targets[dim]) == self.reaching[world]
                    self.worlds.game.pop(position)
            PyErr_CheckSignals()
            world += step

    def front(self, int action, outcomes, int m, double need):
        """The Pareto front after an action, uint8 [vectors, outcomes]; None: the deadline has passed.

        Args:
            outcomes: those of the action with open cards, uint8 [outcomes].
            m: own moves to be looked ahead after it.
            need: vectors whose sum is less may be missing.
        """
        cdef const uint8_t[::1] open = np.ascontiguousarray(outcomes, np.uint8)
        cdef Front contexts, out
        cdef int i
        cdef uint64_t* dims = <uint64_t*>calloc(2 * self.words, sizeof(uint64_t))
        if dims is NULL:
            raise MemoryError()
        cdef uint64_t* bound = dims + self.words
        memset(&contexts, 0, sizeof(Front))
        memset(&out, 0, sizeof(Front))
        try:
            for i in range(self.dims):
                dims[i >> 6] |= (<uint64_t>open[i]) << (i & 63)
                bound[i >> 6] |= (<uint64_t>1) << (i & 63)
            if is_empty(dims, self.words):
                return self.rows(dims, 1)
            self.need = need
            self.add(&contexts, dims)
            with nogil:
                self.push(dims, action)
                self.search(dims, bound, m, &contexts, NULL, &out)
                self.pop(dims)
            self.check()
            return None if self.stopped else self.rows(out.bits, out.count)
        finally:
            front_free(&contexts)
            front_free(&out)
            free(dims)

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
