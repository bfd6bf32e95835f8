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
    uint32_t first[MAX_CARDS][SIDE][SIDE]       # `prepare_draws`: there, of 2**31 draws, how many put card i at the
    uint32_t second[MAX_CARDS][SIDE][SIDE]      # first place, and at one of the first two


cdef uint32_t unknown_cards(const Kernel* kernel, const void* view, int viewer) noexcept nogil
cdef int spread_view(const Kernel* kernel, const void* view, int viewer, Spread* out) noexcept nogil
cdef void count_ways(Spread* s) noexcept nogil
cdef void prepare_draws(Spread* s) noexcept nogil


cdef bint draw_backtracking(const Spread* s, uint64_t* stream, uint32_t* masks) noexcept nogil


cdef inline void draw(const Spread* s, uint64_t* stream, uint32_t* masks) noexcept nogil:
    """Draws the unknown cards' places with their exact probabilities (to 31 bits): a mask a place of the game.

    `prepare_draws` comes before. A place of weight 0 is never taken.
    """
    cdef uint32_t drawn[HIDDEN_PLACES]
    cdef int a = s.slots[0]
    cdef int b = s.slots[1]
    cdef int i, at
    cdef uint64_t bits = 0
    cdef uint32_t u
    drawn[0] = drawn[1] = drawn[2] = 0
    for i in range(s.cards):
        bits = random_next(stream) if i & 1 == 0 else bits >> 32
        u = <uint32_t>bits >> 1
        # Without a branch: it could not be foreseen.
        at = (u >= s.first[i][a][b]) + (u >= s.second[i][a][b])
        drawn[at] |= <uint32_t>1 << s.card[i]
        a -= at == 0
        b -= at == 1
    masks[0] = masks[1] = masks[2] = masks[3] = 0
    for i in range(s.places):
        masks[s.place[i]] = drawn[i]
