"""The nodes and edges of a tree of information sets."""

from libc.stdint cimport int32_t, uint64_t

cdef enum:
    NONE = -1


ctypedef struct Edge:
    double total            # sum of the values of the simulations through it, for the declaring side
    int32_t visits
    int32_t available       # simulations in which the action was legal at this node
    int32_t next            # the node's next edge, or NONE
    int32_t action
    float prior             # sum of the policy's probabilities for it
    int32_t asked           # number of probabilities in the sum


ctypedef struct Node:
    uint64_t key            # key of the information set; 0: an empty slot of the table
    int32_t first           # its first edge, or NONE
    int32_t unused


cdef class InformationSets:
    cdef Node* nodes        # hash table with open addressing; its size is a power of two
    cdef Edge* edges
    cdef int32_t node_room, node_count, edge_room, edge_count
    cdef Node* find(self, uint64_t key) noexcept nogil
    cdef bint reserve(self, int more) noexcept nogil
    cdef Node* node_of(self, uint64_t key) noexcept nogil
    cdef int32_t expand(self, Node* node, int action) noexcept nogil
