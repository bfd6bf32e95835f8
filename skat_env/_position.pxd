"""The C interface of a game, and the base class of its states and views."""

from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t, uint64_t


ctypedef struct Kernel:
    # A game as a table of functions over its flat struct, so that search, rollouts and vector stepping are written
    # once and run without the GIL. No function checks its arguments. The struct begins with the cards now at each
    # place, uint32_t [places], hands first in the order of the seats; the cards as dealt follow in the same form.
    # Views leave out what they do not know.
    size_t size                 # bytes of the struct; a copy of the bytes is a clone
    int seats                   # players
    int places                  # hands and any other places (Skat: the skat)
    int actions                 # action ids are 0 .. actions - 1, below 64
    int features                # bytes of an observation
    int units                   # number of reward units in `returns`
    int max_actions             # actions in the longest game
    uint64_t (*legal)(const void*) noexcept nogil             # legal actions of the seat to act; 0 when over
    int (*to_act)(const void*) noexcept nogil                 # seat to act; -1 when over
    void (*push)(void*, int) noexcept nogil                   # play a legal action
    int (*rollout)(void*, uint64_t*) noexcept nogil           # random stream -> number of random actions to the end
    void (*pop)(void*) noexcept nogil                         # take the last action back
    void (*returns)(const void*, int, int32_t*) noexcept nogil     # unit -> one integer per seat
    void (*observe)(const void*, int, int8_t*) noexcept nogil      # seat -> `features` bytes
    void (*deal)(void*, uint64_t*) noexcept nogil             # random stream -> a fresh deal under the same rules
    const uint8_t* (*history)(const void*, int*) noexcept nogil    # all actions so far, and their number
    const uint8_t* (*leaders)(const void*) noexcept nogil     # the seats that led the tricks begun so far
    int (*plays)(const void*) noexcept nogil                  # number of cards played to tricks: the last actions
    void (*slots)(const void*, int8_t*) noexcept nogil        # in a view: number of unknown cards at each place
    void (*complete)(void*, const uint32_t*, uint64_t*) noexcept nogil     # turns a view into a state, given the
                                                              # unknown cards by place; anything else hidden is drawn
    void (*settle)(const void*, int, int, int32_t*) noexcept nogil # claim, unit -> as `returns`, the remaining tricks
                                                              # going to the declaring side (1) or the other (0)
    void (*hide)(void*, int) noexcept nogil                   # turns a state into the view of a seat
    int (*viewer)(const void*) noexcept nogil                 # the seat whose view it is; -1: it is a state
    int (*phase)(const void*) noexcept nogil                  # what is to be decided, as the game's Phase numbers it
    int (*declarer)(const void*) noexcept nogil               # seat that declared; -1: nobody yet
    int (*contract)(const void*) noexcept nogil               # what it declared (a Contract; a trump suit); -1: nothing


cdef inline const uint32_t* dealt_places(const Kernel* kernel, const void* s) noexcept nogil:
    """The cards as dealt, one mask per place."""
    return <const uint32_t*>s + kernel.places


cdef inline void redeal(const Kernel* kernel, void* s, const uint32_t* places) noexcept nogil:
    """Replaces the cards of a position without actions, one mask per place."""
    cdef int place
    for place in range(kernel.places):
        (<uint32_t*>s)[place] = (<uint32_t*>s)[kernel.places + place] = places[place]


cdef int index_of(object value, int count) except -2
cdef int claim_of(object claim) except -2
cdef bint require_rules(object rules, type kind) except False


cdef class Position:
    cdef const Kernel* kernel   # set by the subclass's __cinit__
    cdef void* data             # the subclass's struct, kernel.size bytes
    cdef bint apply_checked(self, int action) except False
    cdef bint require_result(self) except False
    cdef int seat_of(self, object seat) except -1
    cdef list plays_from(self, int first)
    cdef uint64_t legal_now(self) noexcept
    cdef type counterpart(self)     # for a state the class of its views, for a view the class of its states
