"""The C face of a game, and the base class of its states and views."""

from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t, uint64_t


ctypedef struct Kernel:
    # A game as a table of functions over its flat struct, so that searchers, rollouts and vector
    # stepping are written once and run without the GIL. All are unchecked. The struct begins with the cards that lie
    # at each place now, uint32_t [places], the hands by seat first; then the same as dealt. Views leave out what they
    # do not know.
    size_t size                 # bytes of the struct; a copy of the bytes is a clone
    int seats                   # players
    int places                  # hands, and what the game has besides (Skat: the skat)
    int actions                 # action ids are 0 .. actions - 1, below 64
    int features                # bytes of an observation
    int units                   # reward units that `returns` knows
    int longest                 # actions of the longest game
    uint64_t (*legal)(const void*) noexcept nogil             # legal actions of the seat to act; 0 when over
    int (*to_act)(const void*) noexcept nogil                 # seat to act; -1 when over
    void (*push)(void*, int) noexcept nogil                   # play a legal action
    int (*rollout)(void*, uint64_t*) noexcept nogil           # random stream -> plays at random to the end; how many actions
    void (*pop)(void*) noexcept nogil                         # take the last action back
    void (*returns)(const void*, int, int32_t*) noexcept nogil     # unit -> one integer a seat
    void (*observe)(const void*, int, int8_t*) noexcept nogil      # seat -> `features` bytes
    void (*deal)(void*, uint64_t*) noexcept nogil             # random stream -> a fresh random deal, rules kept
    const uint8_t* (*history)(const void*, int*) noexcept nogil    # all actions so far, and their number
    const uint8_t* (*leaders)(const void*) noexcept nogil     # the seats that led the tricks begun so far
    int (*plays)(const void*) noexcept nogil                  # cards played to tricks so far, the last of the actions
    void (*slots)(const void*, int8_t*) noexcept nogil        # of a view: how many cards it does not know, by place
    void (*complete)(void*, const uint32_t*, uint64_t*) noexcept nogil     # makes a view a state, given the cards that it
                                                              # does not know by place; what else is hidden is drawn
    void (*settle)(const void*, int, int, int32_t*) noexcept nogil # claim, unit -> as `returns`, the open tricks going to
                                                              # the declaring side (1) or the other (0)
    void (*hide)(void*, int) noexcept nogil                   # makes a state the view of a seat
    int (*viewer)(const void*) noexcept nogil                 # the seat of a view; -1: a state
    int (*phase)(const void*) noexcept nogil                  # what is to be decided, as the game's Phase numbers it
    int (*declarer)(const void*) noexcept nogil               # seat that chose the game; -1: nobody yet
    int (*contract)(const void*) noexcept nogil               # what it chose (Skat: Contract; Klaverjas: trump suit); -1


cdef inline const uint32_t* dealt_places(const Kernel* kernel, const void* s) noexcept nogil:
    """The cards as dealt, a mask a place."""
    return <const uint32_t*>s + kernel.places


cdef inline void redeal(const Kernel* kernel, void* s, const uint32_t* places) noexcept nogil:
    """Gives a position without actions other cards, a mask a place."""
    cdef int place
    for place in range(kernel.places):
        (<uint32_t*>s)[place] = (<uint32_t*>s)[kernel.places + place] = places[place]


cdef class Position:
    cdef const Kernel* kernel   # set by the subclass's __cinit__
    cdef void* data             # the subclass's struct, kernel.size bytes
    cdef bint apply_checked(self, int action) except False
    cdef list plays_from(self, int first)
    cdef uint64_t legal_now(self) noexcept
    cdef type counterpart(self)     # of a state the class of its views, of a view the class of its states
