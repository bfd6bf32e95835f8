"""The nodes and edges of a tree of information sets: a hash table of nodes and a growing array of edges.

A node has an edge for each action that was tried there. They lie side by side, because selection reads all of them: a
node begins with a block of four slots, and moves to a block of twice as many when it is full. So an edge is named by
its node and its slot. The child's node is made only at the second visit of the edge, which saves memory and hashing for
what is visited once.
"""

from libc.math cimport NAN
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, memset

cdef enum:
    TABLE_ROOM = 1024
    NODE_ROOM = 256
    SLOTS = 1024


cdef class InformationSets:
    """The nodes and edges of a tree."""

    def __cinit__(self, *args, **kwargs):
        cdef int size
        self.table_room, self.node_room, self.edge_room = TABLE_ROOM, NODE_ROOM, SLOTS
        self.table = <int32_t*>malloc(self.table_room * sizeof(int32_t))
        self.nodes = <Node*>malloc(self.node_room * sizeof(Node))
        self.edges = <Edge*>malloc(self.edge_room * sizeof(Edge))
        if not self.table or not self.nodes or not self.edges:
            raise MemoryError()
        memset(self.table, 0xFF, self.table_room * sizeof(int32_t))
        for size in range(BLOCKS):
            self.free_blocks[size] = NONE

    def __dealloc__(self):
        free(self.table)
        free(self.nodes)
        free(self.edges)
        free(self.minimax)

    @property
    def size(self):
        """The number of edges, each an action tried at an information set."""
        return self.edge_count

    cdef int32_t find(self, uint64_t key) noexcept nogil:
        """The place of a key in the table: of its node's number, or the empty one for it."""
        cdef uint64_t mask = self.table_room - 1
        cdef uint64_t at = key & mask
        while self.table[at] != NONE and self.nodes[self.table[at]].key != key:
            at = (at + 1) & mask
        return <int32_t>at

    cdef bint grow_nodes(self) noexcept nogil:
        """Doubles the room for nodes and the table, which is at most half full; False if out of memory."""
        cdef Node* nodes = <Node*>realloc(self.nodes, 2 * self.node_room * sizeof(Node))
        cdef int32_t* table
        cdef int32_t number
        if not nodes:
            return False
        self.nodes = nodes
        table = <int32_t*>malloc(2 * self.table_room * sizeof(int32_t))
        if not table:
            return False
        free(self.table)
        self.table = table
        self.node_room *= 2
        self.table_room *= 2
        memset(table, 0xFF, self.table_room * sizeof(int32_t))
        for number in range(self.node_count):
            table[self.find(self.nodes[number].key)] = number
        return True

    cdef int32_t node_of(self, uint64_t key) noexcept nogil:
        """The number of a key's node; makes it if there is none. NONE if out of memory."""
        cdef int32_t at = self.find(key)
        cdef Node* node
        if self.table[at] != NONE:
            return self.table[at]
        if self.node_count == self.node_room:
            if not self.grow_nodes():
                return NONE
            at = self.find(key)
        self.table[at] = self.node_count
        node = &self.nodes[self.node_count]
        node.key = key
        node.tried = 0
        node.first = NONE
        node.count = 0
        self.node_count += 1
        return self.table[at]

    cdef bint keep_minimax(self) except False:
        """Makes room for the minimax values of a tree that has no edges yet."""
        self.minimax = <Minimax*>malloc(self.edge_room * sizeof(Minimax))
        if not self.minimax:
            raise MemoryError()
        return True

    cdef double best_of(self, int32_t number, bint declares) noexcept nogil:
        """What the best action of a node is worth to the declaring side, as far as it is known: NaN if none is visited.

        Not every action is available in every world: the best one counts in as many as it was available in, the second
        best in the rest, and so on.
        """
        cdef const Edge* edges = &self.edges[self.nodes[number].first]
        cdef const Minimax* minimax = &self.minimax[self.nodes[number].first]
        cdef double left = 1.0
        cdef double value = 0.0
        cdef double chance
        cdef uint64_t taken = 0
        cdef int32_t most = 1
        cdef int32_t slot, best
        for slot in range(self.nodes[number].count):
            most = max(most, edges[slot].available)
        while left > 0:
            best = NONE
            for slot in range(self.nodes[number].count):
                if not minimax[slot].visits or taken >> slot & 1:
                    continue
                if best == NONE or (minimax[slot].best > minimax[best].best) == declares:
                    best = slot
            if best == NONE:
                break
            taken |= <uint64_t>1 << best
            chance = left * edges[best].available / most
            value += chance * minimax[best].best
            left -= chance
        return value / (1.0 - left) if left < 1.0 else NAN

    cdef int32_t block(self, int size) noexcept nogil:
        """The first slot of a fresh block of 4 << size slots; NONE if out of memory."""
        cdef int32_t at = self.free_blocks[size]
        cdef int32_t room = FIRST_ROOM << size
        cdef Edge* edges
        cdef Minimax* minimax
        if at != NONE:
            self.free_blocks[size] = self.edges[at].child
            return at
        if self.slots + room > self.edge_room:
            edges = <Edge*>realloc(self.edges, 2 * <size_t>self.edge_room * sizeof(Edge))
            if not edges:
                return NONE
            self.edges = edges
            if self.minimax:
                minimax = <Minimax*>realloc(self.minimax, 2 * <size_t>self.edge_room * sizeof(Minimax))
                if not minimax:
                    return NONE
                self.minimax = minimax
            self.edge_room *= 2
        at = self.slots
        self.slots += room
        return at

    cdef int32_t expand(self, int32_t number, int action) noexcept nogil:
        """The slot of a new edge of a node; NONE if out of memory."""
        cdef Node* node = &self.nodes[number]
        cdef Edge* edge
        cdef int size = 0
        cdef int32_t at
        while FIRST_ROOM << size < node.count:
            size += 1
        if node.count == 0 or node.count == FIRST_ROOM << size:
            at = self.block(size + (node.count > 0))
            if at == NONE:
                return NONE
            if node.count:
                memcpy(&self.edges[at], &self.edges[node.first], node.count * sizeof(Edge))
                if self.minimax:
                    memcpy(&self.minimax[at], &self.minimax[node.first], node.count * sizeof(Minimax))
                self.edges[node.first].child = self.free_blocks[size]
                self.free_blocks[size] = node.first
            node.first = at
        edge = &self.edges[node.first + node.count]
        memset(edge, 0, sizeof(Edge))
        if self.minimax:
            memset(&self.minimax[node.first + node.count], 0, sizeof(Minimax))
        edge.available = 1
        edge.action = action
        edge.child = NONE
        node.tried |= <uint64_t>1 << action
        node.count += 1
        self.edge_count += 1
        return node.count - 1
