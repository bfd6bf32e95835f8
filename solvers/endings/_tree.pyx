"""The tree of an ending, grown card by card, so that the players' probabilities are asked for a whole layer at once."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

import numpy as np

from skat_env._bits cimport popcount, trailing_zeros
from skat_env._position cimport Position

cdef enum:
    CARDS = 32


cdef inline uint64_t mixed(uint64_t hashed, uint64_t word) noexcept nogil:
    """A hash that goes on with a word (the last steps of SplitMix64)."""
    hashed = (hashed ^ word) * <uint64_t>0xBF58476D1CE4E5B9
    hashed = (hashed ^ hashed >> 27) * <uint64_t>0x94D049BB133111EB
    return hashed ^ hashed >> 31


@cython.final
cdef class Tree:
    """A forest of public histories, one tree for each group of worlds."""

    def __cinit__(
        self, list states not None, const int32_t[:, ::1] classes not None, const double[::1] weights not None,
        const int32_t[::1] groups not None, int unit, list factors not None, int64_t pair_limit,
    ):
        cdef Position state = states[0]
        cdef int i, group
        cdef int count = len(states)
        self.kernel = state.kernel
        self.states = states
        self.classes = classes
        self.unit = unit
        self.pair_limit = pair_limit
        for i in range(self.kernel.seats):
            self.factors[i] = factors[i]
        self.worlds = <uint8_t*>malloc(count * self.kernel.size)
        if not self.worlds:
            raise MemoryError()
        for i in range(count):
            state = states[i]
            memcpy(self.worlds + i * self.kernel.size, state.data, self.kernel.size)
        order = np.argsort(np.asarray(groups), kind="stable").astype(np.int32)
        cdef const int32_t[::1] ordered = order
        if not self.reserve(count, count):
            raise MemoryError()
        for i in range(count):
            group = groups[ordered[i]]
            if i == 0 or group != groups[ordered[i - 1]]:
                self.nodes[self.node_count] = Node(
                    first=i, pairs=0, parent=-1, child=0, children=0, card=-1, seat=-1, depth=0)
                self.node_count += 1
            self.nodes[self.node_count - 1].pairs += 1
            self.world[i] = ordered[i]
            self.reach[i] = weights[ordered[i]]
        self.pair_count = count

    def __dealloc__(self):
        free(self.worlds)
        free(self.nodes)
        free(self.world)
        free(self.reach)
        free(self.value)
        free(self.legal)
        free(self.row)

    cdef bint reserve(self, int64_t nodes, int64_t pairs) noexcept nogil:
        """Makes room for more nodes and pairs; False if out of memory."""
        cdef int64_t room
        cdef void* moved
        if self.node_count + nodes > self.node_room:
            room = max(2 * self.node_room, self.node_count + nodes)
            moved = realloc(self.nodes, room * sizeof(Node))
            if not moved:
                return False
            self.nodes = <Node*>moved
            self.node_room = room
        if self.pair_count + pairs > self.pair_room:
            room = max(self.pair_room + self.pair_room // 2, self.pair_count + pairs)
            moved = realloc(self.world, room * sizeof(int32_t))
            if not moved:
                return False
            self.world = <int32_t*>moved
            moved = realloc(self.reach, room * sizeof(double))
            if not moved:
                return False
            self.reach = <double*>moved
            moved = realloc(self.value, room * sizeof(int32_t))
            if not moved:
                return False
            self.value = <int32_t*>moved
            self.pair_room = room
        return True

    cdef int path(self, int64_t node, uint8_t* cards) noexcept nogil:
        """Writes the cards that lead to a node; returns their number."""
        cdef int count = self.nodes[node].depth
        cdef int i
        for i in range(count - 1, -1, -1):
            cards[i] = self.nodes[node].card
            node = self.nodes[node].parent
        return count

    cdef void replay(self, void* state, int32_t world, const uint8_t* cards, int count) noexcept nogil:
        cdef int i
        memcpy(state, self.worlds + world * self.kernel.size, self.kernel.size)
        for i in range(count):
            self.kernel.push(state, cards[i])

    cdef int look_at(self, int64_t number, void* state, uint32_t seats, int64_t first) noexcept nogil:
        """Sets the seat to act and the legal cards of a node, or the values of a leaf.

        Returns whether its plays are asked for. `seats` are those whose plays are, as bits; `first` is the layer's
        first pair.
        """
        cdef Node* node = &self.nodes[number]
        cdef uint8_t cards[MAX_DEPTH]
        cdef int32_t returns[8]
        cdef int count = self.path(number, cards)
        cdef int64_t pair
        cdef int seat, value, most
        cdef uint32_t legal
        for pair in range(node.first, node.first + node.pairs):
            self.replay(state, self.world[pair], cards, count)
            if pair == node.first:
                node.seat = self.kernel.to_act(state)
                most = 0
                for seat in range(self.kernel.seats):
                    most = max(most, popcount((<const uint32_t*>state)[seat]))
                # In the last trick every card is forced.
                if most <= 1 and self.kernel.plays(state) % self.kernel.seats == 0:
                    node.seat = -1
            if node.seat < 0:
                while self.kernel.to_act(state) >= 0:
                    legal = <uint32_t>self.kernel.legal(state)
                    self.kernel.push(state, trailing_zeros(legal))
                self.kernel.returns(state, self.unit, returns)
                value = 0
                for seat in range(self.kernel.seats):
                    value += self.factors[seat] * returns[seat]
                self.value[pair] = value
            else:
                self.legal[pair - first] = <uint32_t>self.kernel.legal(state)
                self.row[pair - first] = -1
        return node.seat >= 0 and seats >> node.seat & 1

    def look(self, uint32_t seats):
        """The questions of the layer, int32 [questions, 3]: node, a world, seat; None if nothing is left to grow.

        A question is an information set with a choice of one of `seats`, given as bits.
        """
        cdef int64_t first, pairs, number, pair
        cdef Node* node
        cdef int32_t found
        cdef int count = 0
        cdef int classes = int(np.max(self.classes)) + 1
        cdef int seat
        if self.layer == self.node_count:
            return None
        first = self.nodes[self.layer].first
        pairs = self.pair_count - first
        if pairs > self.layer_room:
            free(self.legal)
            free(self.row)
            self.layer_room = 0
            self.legal = <uint32_t*>malloc(pairs * sizeof(uint32_t))
            self.row = <int32_t*>malloc(pairs * sizeof(int32_t))
            if not self.legal or not self.row:
                raise MemoryError()
            self.layer_room = pairs
        cdef void* state = malloc(self.kernel.size)
        if not state:
            raise MemoryError()
        rows_of = np.full(classes, -1, np.int32)
        cdef int32_t[::1] row_of = rows_of
        questions = []
        try:
            for number in range(self.layer, self.node_count):
                with nogil:
                    found = self.look_at(number, state, seats, first)
                if not found:
                    continue
                node = &self.nodes[number]
                seat = node.seat
                for pair in range(node.first, node.first + node.pairs):
                    if popcount(self.legal[pair - first]) > 1:
                        found = self.classes[seat, self.world[pair]]
                        if row_of[found] < 0:
                            row_of[found] = count
                            questions.append((number, self.world[pair], seat))
                            count += 1
                        self.row[pair - first] = row_of[found]
                for pair in range(node.first, node.first + node.pairs):
                    row_of[self.classes[seat, self.world[pair]]] = -1
        finally:
            free(state)
        return np.array(questions, np.int32).reshape(-1, 3)

    def keys(self, const int32_t[:, ::1] questions not None):
        """A 64-bit hash of the information set of each question, uint64 [questions].

        Information sets of trees of one ending have equal keys where they are the same.
        """
        cdef uint8_t cards[MAX_DEPTH]
        cdef uint64_t hashed
        cdef Py_ssize_t i
        cdef int number, count
        keys = np.empty(questions.shape[0], np.uint64)
        cdef uint64_t[::1] out = keys
        with nogil:
            for i in range(questions.shape[0]):
                count = self.path(questions[i, 0], cards)
                hashed = mixed(0x9E3779B97F4A7C15, questions[i, 2])
                hashed = mixed(hashed, self.classes[questions[i, 2], questions[i, 1]])
                for number in range(count):
                    hashed = mixed(hashed, cards[number])
                out[i] = hashed
        return keys

    def grow(self, const double[:, ::1] chances not None):
        """Adds the children of the layer.

        Args:
            chances: float64 [questions, 32], for each question of `look` the probability of each card.

        Returns False if the tree would have more pairs than its limit.
        """
        cdef int64_t number
        cdef int64_t first = self.nodes[self.layer].first
        cdef int64_t end = self.node_count
        cdef const double* table = &chances[0, 0] if chances.shape[0] else NULL
        cdef bint grown = True
        with nogil:
            for number in range(self.layer, end):
                if self.nodes[number].seat >= 0:
                    grown = self.expand(number, first, table)
                    if not grown:
                        break
        if not grown:
            if self.pair_count > self.pair_limit:
                return False
            raise MemoryError()
        self.layer = end
        return True

    cdef bint expand(self, int64_t number, int64_t first, const double* chances) noexcept nogil:
        """Adds the children of a node; False: too large, or out of memory."""
        cdef uint32_t cards = 0
        cdef uint32_t bit
        cdef int64_t pair, begin
        cdef int64_t start = self.nodes[number].first
        cdef int64_t stop = start + self.nodes[number].pairs
        cdef int32_t row
        cdef int card
        cdef double chance
        for pair in range(start, stop):
            cards |= self.legal[pair - first]
        self.nodes[number].child = <int32_t>self.node_count
        while cards:
            card = trailing_zeros(cards)
            bit = <uint32_t>1 << card
            cards ^= bit
            if not self.reserve(1, stop - start):
                return False
            begin = self.pair_count
            for pair in range(start, stop):
                if not self.legal[pair - first] & bit:
                    continue
                row = self.row[pair - first]
                chance = chances[row * CARDS + card] if row >= 0 else 1.0
                if chance > 0:
                    self.world[self.pair_count] = self.world[pair]
                    self.reach[self.pair_count] = self.reach[pair] * chance
                    self.pair_count += 1
            if self.pair_count > begin:
                self.nodes[self.node_count] = Node(
                    first=begin, pairs=<int32_t>(self.pair_count - begin), parent=<int32_t>number, child=0, children=0,
                    card=card, seat=-1, depth=self.nodes[number].depth + 1)
                self.node_count += 1
                self.nodes[number].children += 1
            if self.pair_count > self.pair_limit:
                return False
        return True

    def state(self, int64_t node, int32_t world):
        """The State of a world at a node."""
        cdef uint8_t cards[MAX_DEPTH]
        cdef Position state = self.states[world].clone()
        self.replay(state.data, world, cards, self.path(node, cards))
        return state

    def nodes_of(self, int seat):
        """The nodes at which a seat is to act, int64 [n], and a world of each, int32 [n]."""
        cdef int64_t number
        numbers, worlds = [], []
        for number in range(self.node_count):
            if self.nodes[number].seat == seat:
                numbers.append(number)
                worlds.append(self.world[self.nodes[number].first])
        return np.array(numbers, np.int64), np.array(worlds, np.int32)

    def children(self, int64_t node):
        """The cards played at a node and the nodes that they lead to, as a dictionary."""
        cdef int32_t child = self.nodes[node].child
        cdef int i
        return {self.nodes[child + i].card: child + i for i in range(self.nodes[node].children)}

    def back_up(self, uint32_t maximisers, int sign):
        """The value of each node for a side, summed over its worlds by reach, float64 [nodes].

        Args:
            maximisers: seats that choose the best card at their nodes, as bits; at others the values are added.
            sign: 1 for the declaring side, -1 for the other.
        """
        cdef int64_t number, pair
        cdef int i
        cdef double total
        cdef Node* node
        values = np.zeros(self.node_count)
        cdef double[::1] out = values
        with nogil:
            for number in range(self.node_count - 1, -1, -1):
                node = &self.nodes[number]
                total = 0
                if node.seat < 0:
                    for pair in range(node.first, node.first + node.pairs):
                        total += self.reach[pair] * self.value[pair]
                    total *= sign
                elif maximisers >> node.seat & 1:
                    total = out[node.child]
                    for i in range(1, node.children):
                        total = max(total, out[node.child + i])
                else:
                    for i in range(node.children):
                        total += out[node.child + i]
                out[number] = total
        return values
