"""The tree of an ending: a node for each way in which the cards can fall, with the worlds in which they can fall so."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t

from skat_env._position cimport Kernel

cdef enum:
    MAX_DEPTH = 40          # cards of the longest cardplay, and more


ctypedef struct Node:
    int64_t first           # its first pair
    int32_t pairs           # worlds in which it can be reached
    int32_t parent          # -1: a root
    int32_t child           # its first child; the others follow in the order of their cards
    int8_t children         # 0: a leaf
    int8_t card             # the card that led here; -1 at a root
    int8_t seat             # the seat to act; -1 at a leaf
    int8_t depth            # cards played since the root


cdef class Tree:
    cdef const Kernel* kernel
    cdef list states                # the worlds, kept for their classes
    cdef uint8_t* worlds            # their structs, kernel.size bytes each
    cdef const int32_t[:, ::1] classes      # [seats, worlds]: equal numbers where the seat cannot tell the worlds apart
    cdef int unit                   # index of the reward unit
    cdef int factors[8]             # by seat: the value of a leaf is the sum of the factors times the returns
    cdef Node* nodes
    cdef int64_t node_room
    cdef readonly int64_t node_count
    cdef int32_t* world             # [pairs]: worlds in ascending order within a node
    cdef double* reach              # [pairs]: the world's weight times the probabilities of the plays that were asked
    cdef int32_t* value             # [pairs]: at leaves, the declaring side's value
    cdef int64_t pair_room
    cdef readonly int64_t pair_count
    cdef readonly int64_t pair_limit
    cdef int64_t layer              # the first node that has not grown
    cdef uint32_t* legal            # [pairs of the layer]
    cdef int32_t* row               # [pairs of the layer]: the question about the play; -1: every legal card is tried
    cdef int64_t layer_room

    cdef int path(self, int64_t node, uint8_t* cards) noexcept nogil
    cdef void replay(self, void* state, int32_t world, const uint8_t* cards, int count) noexcept nogil
    cdef bint reserve(self, int64_t nodes, int64_t pairs) noexcept nogil
    cdef int look_at(self, int64_t node, void* state, uint32_t seats, int64_t first) noexcept nogil
    cdef bint expand(self, int64_t node, int64_t first, const double* chances) noexcept nogil
