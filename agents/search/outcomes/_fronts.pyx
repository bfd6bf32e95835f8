"""Pareto fronts of vectors of outcomes: what a strategy of the searching seat gets in each world.

A strategy of the searching seat has a vector: the outcomes that it gets in each world if all others see all cards, the
opponents against it and its partners for it. An opponent's node is the least of its moves, outcome by outcome, a
partner's the largest, and an own node a choice, so that its result is a Pareto front of vectors (Cazenave and Ventos
2019). All states of a node have the same history; they differ in the worlds, and in which worlds a move is legal.

What is cut (`search`), and why it cannot matter:
- An outcome that open cards rule out somewhere on the way is lost in all strategies below (useless worlds, Cazenave,
  Legras and Ventos 2021). At an opponent's node it stays possible after each of its moves, so nothing is asked there.
- One world left is open cards.
- A *context* says what the outcomes of the whole tree are at most, if a node contributes all it can: the siblings of
  the opponents' moves on the way are known. A vector is of no use if in each context the sum falls below the best of
  the root (`need`), or nothing is above what an own choice on the way already has (early cut).
"""

from libc.math cimport INFINITY
from libc.stdint cimport uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from skat_env.agents.search.outcomes._outcomes cimport OPPONENT, OWN, OutcomeWorlds, is_empty, low_bit

import numpy as np

cdef enum:
    ACTIONS = 64


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


cdef class FrontTree(OutcomeWorlds):
    """A tree whose nodes have Pareto fronts."""

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
        """Whether outcomes of the whole tree are worth enough, and more than what own choices above already have."""
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
            for _ in range(count):
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
        cdef int j, k, w, best, action
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
        for _ in range(count):
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
