"""Exact counting and sampling of the worlds of a view, for kernels.

The cards that a view does not know are placed one after the other; the state of the dynamic programme is how many
cards each place still takes. There are at most three such places, and the slots of the third follow from the others'.
"""

from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t

from skat_env._position cimport Kernel, Position
from skat_env._random cimport random_next

cdef enum:
    MAX_CARDS = 32
    MAX_PLACES = 4
    HIDDEN_PLACES = 3       # places that can have unknown cards: all but the own hand
    SIDE = 13               # slots of a place: 0..12 (the soloist holds twelve cards until he has discarded)


ctypedef struct Spread:
    int cards                                   # unknown cards
    int places                                  # places with open slots
    uint8_t card[MAX_CARDS]                     # the unknown cards
    uint8_t place[HIDDEN_PLACES]                # the places' numbers in the game
    int8_t slots[HIDDEN_PLACES]                 # unknown cards that each takes
    double weight[MAX_CARDS][HIDDEN_PLACES]     # of each card at each place; 0: it cannot be there
    double ways[MAX_CARDS + 1][SIDE][SIDE]      # [i][a][b]: total weight of all ways to place the cards from i on,
                                                # with a and b slots left at the first two places


cdef uint32_t unknown_cards(const Kernel* kernel, const void* view, int viewer) noexcept nogil
cdef int spread_view(const Kernel* kernel, const void* view, int viewer, Spread* out) noexcept nogil
cdef void count_ways(Spread* s) noexcept nogil


cdef inline double random_unit(uint64_t* stream) noexcept nogil:
    """A number in [0, 1) with 53 random bits."""
    return <double>(random_next(stream) >> 11) * (1.0 / 9007199254740992.0)


cdef inline void draw(const Spread* s, uint64_t* stream, uint32_t* masks) noexcept nogil:
    """Draws the unknown cards' places with their exact probabilities: a mask a place of the game."""
    cdef int a = s.slots[0]
    cdef int b = s.slots[1]
    cdef int i
    cdef uint32_t bit
    cdef double at_first, at_second, at_third, u
    masks[0] = masks[1] = masks[2] = masks[3] = 0
    for i in range(s.cards):
        bit = <uint32_t>1 << s.card[i]
        at_first = s.weight[i][0] * s.ways[i + 1][a - 1][b] if a else 0
        at_second = s.weight[i][1] * s.ways[i + 1][a][b - 1] if b else 0
        at_third = s.weight[i][2] * s.ways[i + 1][a][b] if s.cards - i > a + b else 0
        u = random_unit(stream) * (at_first + at_second + at_third)
        # A place of weight 0 is never taken, however the sums are rounded.
        if at_first > 0 and (u < at_first or (at_second == 0 and at_third == 0)):
            masks[s.place[0]] |= bit
            a -= 1
        elif at_second > 0 and (u < at_first + at_second or at_third == 0):
            masks[s.place[1]] |= bit
            b -= 1
        else:
            masks[s.place[2]] |= bit
