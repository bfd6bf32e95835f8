"""The part that the encodings of Klaverjas share: the cards as a seat knows them, with the suits relabelled."""

from libc.stdint cimport uint8_t, uint32_t

from skat_env.klaverjas._rules cimport NOBODY, KlaverjasData


ctypedef struct Cards:
    # By relative seat: 0 the observer, 1 the player after it, 2 its partner, 3 the player before it.
    uint32_t played[4]      # all cards played
    uint32_t led[4]         # cards that opened a trick
    uint32_t trick[4]       # the card on the table
    uint32_t possible[4]    # seats 1 to 3: cards that the seat may still hold

cdef void collect(const KlaverjasData* s, int seat, Cards* out) noexcept nogil
cdef uint32_t relabel(uint32_t mask, int trump) noexcept nogil
cdef void label(const void* data, int seat, uint8_t* out) noexcept nogil
cdef bint reads_cardplay(const void* data, int seat) noexcept nogil
cdef float* write_choice(float* out, const KlaverjasData* s, int seat) noexcept nogil


cdef inline int relative_seat(int seat, int observer) noexcept nogil:
    """The seat counted from the observer in the order of play; -1 for nobody."""
    return (seat - observer) & 3 if seat != NOBODY else -1
