"""The nodes and edges of a tree of information sets."""

from libc.stdint cimport int32_t, uint64_t

cdef enum:
    NONE = -1
    FIRST_ROOM = 4          # slots of a node's first block; a full block moves to one of twice as many
    BLOCKS = 5              # sizes of blocks: 4, 8, 16, 32, 64


ctypedef struct Prior:
    float total             # sum of the policy's probabilities for the action
    int32_t asked           # number of probabilities in the sum


ctypedef union Weight:
    double root             # without priors: 1 / the root of the visits
    Prior prior             # with priors


ctypedef struct Edge:
    double total            # sum of the values of the simulations through it, for the declaring side
    Weight weight
    int32_t visits
    int32_t available       # simulations in which the action was legal at this node
    int32_t child           # the node that it led to last, or NONE; in a free block's first slot, the next free block
    int32_t action


ctypedef struct Minimax:
    double total            # sum of the values of the simulations through an edge
    double best             # its implicit minimax value
    int32_t visits          # without the waiting ones


ctypedef struct Node:
    uint64_t key            # key of the information set
    uint64_t tried          # actions that have an edge
    int32_t first           # its first edge: its edges lie together, the oldest first
    int32_t count           # number of edges


cdef class InformationSets:
    cdef Node* nodes
    cdef Edge* edges
    cdef Minimax* minimax   # by slot, beside the edges; NULL: simulations back up their mean alone
    cdef int32_t* table     # hash table with open addressing: numbers of nodes, NONE: empty; its size is a power of two
    cdef int32_t table_room, node_room, node_count, edge_room, edge_count
    cdef int32_t slots      # slots of all blocks, used or free
    cdef int32_t free_blocks[BLOCKS]    # first free block of each size, or NONE
    cdef int32_t find(self, uint64_t key) noexcept nogil
    cdef bint grow_nodes(self) noexcept nogil
    cdef int32_t node_of(self, uint64_t key) noexcept nogil
    cdef bint keep_minimax(self) except False
    cdef double best_of(self, int32_t number, bint declares) noexcept nogil
    cdef int32_t block(self, int size) noexcept nogil
    cdef int32_t expand(self, int32_t number, int action) noexcept nogil
