"""The nodes and edges of a tree of information sets: a hash table of nodes and a growing array of edges.

A node has an edge for each action that was tried there. The child's node is made only at the second visit of the edge,
which saves memory and hashing for what is visited once.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset


cdef class InformationSets:
    """The nodes and edges of a tree."""

    def __cinit__(self, *args, **kwargs):
        self.node_room = 1024
        self.edge_room = 1024
        self.nodes = <Node*>malloc(self.node_room * sizeof(Node))
        self.edges = <Edge*>malloc(self.edge_room * sizeof(Edge))
        if not self.nodes or not self.edges:
            raise MemoryError()
        memset(self.nodes, 0, self.node_room * sizeof(Node))

    def __dealloc__(self):
        free(self.nodes)
        free(self.edges)

    @property
    def size(self):
        """The number of edges, each an action tried at an information set."""
        return self.edge_count

    cdef Node* find(self, uint64_t key) noexcept nogil:
        """The node of a key, or the empty slot for it."""
        cdef uint64_t mask = self.node_room - 1
        cdef uint64_t at = key & mask
        while self.nodes[at].key and self.nodes[at].key != key:
            at = (at + 1) & mask
        return &self.nodes[at]

    cdef bint reserve(self, int more) noexcept nogil:
        """Makes room for `more` nodes and edges; False if out of memory."""
        cdef Node* old = self.nodes
        cdef Node* place
        cdef Edge* edges
        cdef int32_t room = self.node_room
        cdef int32_t i
        if self.edge_count + more > self.edge_room:
            edges = <Edge*>realloc(self.edges, 2 * self.edge_room * sizeof(Edge))
            if not edges:
                return False
            self.edges = edges
            self.edge_room *= 2
        if 2 * (self.node_count + more) > room:
            self.nodes = <Node*>malloc(2 * room * sizeof(Node))
            if not self.nodes:
                self.nodes = old
                return False
            self.node_room = 2 * room
            memset(self.nodes, 0, self.node_room * sizeof(Node))
            for i in range(room):
                if old[i].key:
                    place = self.find(old[i].key)
                    place[0] = old[i]
            free(old)
        return True

    cdef Node* node_of(self, uint64_t key) noexcept nogil:
        """The node of a key; makes it if there is none."""
        cdef Node* node = self.find(key)
        if not node.key:
            node.key = key
            node.first = NONE
            self.node_count += 1
        return node

    cdef int32_t expand(self, Node* node, int action) noexcept nogil:
        cdef Edge* edge = &self.edges[self.edge_count]
        edge.total = 0
        edge.visits = 0
        edge.available = 1
        edge.action = action
        edge.prior = 0
        edge.asked = 0
        edge.next = node.first
        node.first = self.edge_count
        self.edge_count += 1
        return node.first
