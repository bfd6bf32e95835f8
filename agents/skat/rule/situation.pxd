"""A seat's knowledge when it plays a card, in C; situation.pyi has the words."""

from libc.stdint cimport uint32_t

from skat_env._bits cimport popcount


cdef struct Codes:
    # A layout of `layout.py` in C.
    int card[32]                # the card of each code
    int code[32]                # the code of each card
    int group[32]               # the group of each code
    int points[32]              # the card points of each code
    uint32_t groups[5]          # the codes of each group
    uint32_t above[32]          # the stronger codes of the same group
    uint32_t beaters[32]        # the codes that beat a code in a trick
    uint32_t bytes[4][256]      # the codes of a byte of a mask of cards, by suit


cdef class Situation:
    cdef const Codes* codes
    cdef readonly object layout
    cdef readonly object view
    cdef readonly int seat, soloist, position, led, best, best_seat, table_points, tricks_left
    cdef readonly uint32_t hand, legal, hidden, trump_mask
    cdef int soloist_points, defender_points    # `banked`
    cdef uint32_t can_hold[3]                   # `could`
    cdef uint32_t holds[3]                      # `known`
    cdef int cards_left[3]                      # `left`
    cdef double plain_chance[3]                 # `chances`, of a plain card
    cdef double trump_chance[3]                 # and of a trump

    cdef int place_cards(self) except -1
    cpdef double chance(self, int seat, uint32_t mask) noexcept
    cpdef double chance_of_ruff(self, int seat, int group) noexcept
    cdef double chance_to_beat(self, int seat, int code, int led) noexcept
    cdef double decides(self, int points, double win) noexcept


cdef const Codes* layout_codes(int contract) noexcept nogil


cdef inline uint32_t arrange(const Codes* codes, uint32_t cards) noexcept nogil:
    """The codes of a set of cards."""
    return (
        codes.bytes[0][cards & 255] | codes.bytes[1][cards >> 8 & 255]
        | codes.bytes[2][cards >> 16 & 255] | codes.bytes[3][cards >> 24]
    )


cdef inline int next_code(uint32_t* codes) noexcept nogil:
    """Takes the weakest code out of a set that is not empty."""
    cdef uint32_t low = codes[0] & (0 - codes[0])
    codes[0] ^= low
    return popcount(low - 1)
