"""Exact counting and sampling of the worlds of a view, for kernels.

The unknown cards of a view are placed one by one; the state of the dynamic programme is how many cards each place still
takes. There are at most three such places, and the slots of the third follow from those of the other two.
"""

from libc.stdint cimport int8_t, int64_t, uint8_t, uint32_t, uint64_t

from skat_env._position cimport Kernel, Position
from skat_env._random cimport random_next

cdef enum:
    MAX_CARDS = 32
    MAX_PLACES = 4
    HIDDEN_PLACES = 3       # places that can hold unknown cards: all but the viewer's hand
    SIDE = 13               # slots of a place: 0..12 (the soloist holds twelve cards until it discards)


ctypedef struct Spread:
    int cards                                   # number of unknown cards
    int places                                  # number of places with open slots
    uint8_t card[MAX_CARDS]                     # the unknown cards
    uint8_t place[HIDDEN_PLACES]                # the numbers of these places in the game
    int8_t slots[HIDDEN_PLACES]                 # number of unknown cards at each
    double weight[MAX_CARDS][HIDDEN_PLACES]     # weight of each card at each place; 0: impossible
    double ways[MAX_CARDS + 1][SIDE][SIDE]      # [i][a][b]: total weight of all ways to place card i and later ones
                                                # with a and b slots left at the first two places
    uint32_t cuts[MAX_CARDS][SIDE][SIDE][2]     # set by `prepare_draws`: of 2**31 draws there, how many put card i at
                                                # the first place, and at one of the first two


cdef int spread_view(const Kernel* kernel, const void* view, int viewer, Spread* out) noexcept nogil
cdef void prepare_draws(Spread* s) noexcept nogil


cdef bint draw_backtracking(const Spread* s, uint64_t* stream, uint32_t* masks) noexcept nogil


cdef inline void draw(const Spread* s, uint64_t* stream, uint32_t* masks) noexcept nogil:
    """Draws a world with its exact probability (to 31 bits): the unknown cards as one mask per place of the game.

    `prepare_draws` must come first. A card is never put at a place where its weight is 0.
    """
    cdef const uint32_t* cuts = &s.cuts[0][s.slots[0]][s.slots[1]][0]
    cdef uint32_t drawn[HIDDEN_PLACES]
    cdef uint64_t bits = 0
    cdef int64_t u, at_first, at_second     # -1: the card goes to the first place, to one of the first two; else 0
    cdef uint32_t bit
    cdef int i
    drawn[0] = drawn[1] = drawn[2] = 0
    for i in range(s.cards):
        bits = random_next(stream) if i & 1 == 0 else bits >> 32
        u = <uint32_t>bits >> 1
        # Branchless: the branch would be unpredictable.
        at_first = (u - <int64_t>cuts[0]) >> 63
        at_second = (u - <int64_t>cuts[1]) >> 63
        bit = <uint32_t>1 << s.card[i]
        drawn[0] |= bit & <uint32_t>at_first
        drawn[1] |= bit & <uint32_t>(at_second ^ at_first)
        drawn[2] |= bit & ~<uint32_t>at_second
        # One slot less at the place, for the next card.
        cuts += 2 * SIDE * SIDE + 2 * (SIDE - 1) * at_first + 2 * at_second
    masks[0] = masks[1] = masks[2] = masks[3] = 0
    for i in range(s.places):
        masks[s.place[i]] = drawn[i]
