"""What a player of a suit or grand game sees when it is to play: cards by strength, the trick, who may hold what."""

from libc.stdint cimport uint32_t

from skat_env.agents.skat.rule.situation cimport Codes
from skat_env.skat._rules cimport SkatData

cdef enum:
    SUIT_RANKS = 7      # 7 8 9 Q K 10 A of a plain suit
    NOTHING = -1
    DIAMOND_JACK = 28   # the code of the weakest jack, a trump; that of hearts is next
    SUIT_GAME = 0
    GRAND_GAME = 1


ctypedef struct Situation:
    # Cards are codes 0..31: the plain suits in the order D H S C, seven each from weak to strong, then the trumps.
    const Codes* codes      # of the contract
    int contract
    int kind                # SUIT_GAME or GRAND_GAME
    int plain               # plain suits: 3 or 4; the trumps are the group of this number
    int first_trump         # the lowest code of the trumps
    uint32_t trumps
    int seat
    int soloist
    int partner             # of an opponent; the soloist's is NOTHING
    int position            # 0 leads, 1 plays second, 2 last
    bint picked_up          # whether the soloist has seen the skat
    int left[3]             # cards in each hand
    uint32_t hand
    uint32_t legal
    uint32_t hidden         # in the other hands, or in a skat that the player does not know
    uint32_t could[3]       # the hidden cards that each of the others may hold
    int led                 # the code led; NOTHING: the player leads
    int best                # the code that has the trick
    int best_seat
    int table_points        # card points in the trick
    int banked[2]           # card points of the soloist, with the skat if the player knows it, and of the opponents
    int trump_leads         # how often the player has led trumps
    int cuts                # how often the player has put a trump on a plain suit
    int partner_suit        # the plain suit that the partner led last; NOTHING: none
    int partner_drop        # the plain suit of the first card that the partner dropped; NOTHING: none
    int own_drops           # how often the player has dropped a card of a plain suit that was not led
    int opened              # the plain suits that the opponents have led, a bit each


cdef int group_of(const Situation* s, int code) noexcept nogil
cdef uint32_t group_cards(const Situation* s, int group) noexcept nogil
cdef int points_of(const Situation* s, int code) noexcept nogil
cdef bint beats(const Situation* s, int code, int best) noexcept nogil
cdef uint32_t stronger(const Situation* s, int code) noexcept nogil
cdef int suit_state(const Situation* s, int suit) noexcept nogil
cdef bint free_to_choose(const Situation* s) noexcept nogil
cdef int card_of(const Situation* s, int code) noexcept nogil
cdef int code_of(const Situation* s, int card) noexcept nogil
cdef void look(const SkatData* d, Situation* s) noexcept nogil
