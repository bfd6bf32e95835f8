"""Skat's rules in C: one flat struct, and unchecked functions on it."""

from libc.stdint cimport int8_t, int16_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef enum:
    SEATS = 3
    SKAT = 3            # index of the skat among the four places
    CONTRACTS = 6
    NULL_CONTRACT = 5
    GRAND_CONTRACT = 4
    TRUMP_GROUP = 4     # cards follow within a group: the suits 0..3, and the trumps
    GROUPS = 5
    TRICKS = 10
    MAX_ACTIONS = 168       # 63 bids, 63 holds, 3 passes, 5 declaring and discarding, 30 plays, rounded to words
    NOBODY = 255
    UNDECIDED = 255
    HIDDEN = 255

cdef enum:  # phases; the same as rules.Phase
    BID, ANSWER, PICK_UP, CONTRACT, ANNOUNCE, DISCARD, PLAY, OVER

cdef enum:  # starts; the same as rules.Start
    START_DEAL, START_AUCTION_GIVEN, START_CARDPLAY

cdef enum:  # actions above the 32 cards; the same as in rules.py
    ACT_PASS = 32
    ACT_YES = 33
    ACT_PICK_UP = 34
    ACT_HAND = 35
    ACT_DECLARE = 36
    ACT_ANNOUNCE = 42
    ACTIONS = 46


ctypedef struct SkatData:
    uint32_t hands[4]           # cards that the seats hold now, and [SKAT] the skat; a view lacks unknown ones
    uint32_t dealt[4]           # the deal: hands, and [SKAT] the skat as dealt
    uint8_t bids[3]             # highest level 0..63 that each seat has bid or held
    uint8_t bid                 # level of the last bid; 0: none yet
    uint8_t passed              # a bit per seat: has passed
    uint8_t senior              # seat that the bidder bids to
    uint8_t phase               # rules.Phase
    uint8_t to_act              # seat, or NOBODY when over
    uint8_t soloist             # seat, or NOBODY
    uint8_t picked_up           # 1: the soloist took the skat
    uint8_t hand_game           # 1: it plays hand
    uint8_t contract            # 0..5 or UNDECIDED
    uint8_t announcement        # rules.Announcement
    uint8_t discards            # cards laid into the skat so far
    uint8_t start               # rules.Start
    uint8_t play_out            # SkatRules.play_out
    uint8_t viewer              # seat that a view belongs to; NOBODY in a state
    uint8_t plays               # cards played, 0..30
    uint8_t leaders[11]         # seat that leads each trick begun (and the one after it, when it is decided)
    uint8_t void_since[3][5]    # [seat][group]: the play (1..30) at which the seat failed to follow; 0: never
    uint8_t points[2]           # card points in tricks of the soloist and of the defenders (no skat)
    uint8_t tricks[2]           # tricks of the soloist and of the defenders
    uint16_t length             # actions so far
    uint8_t history[MAX_ACTIONS]    # all actions in order; zero beyond `length`
    uint8_t unused[6]           # pads to whole words


ctypedef struct SkatResult:
    # The fields of scoring.GameResult.
    int soloist                 # -1: everybody passed, all else 0
    int won
    int value
    int card_points
    int tricks
    int matadors
    int schneider
    int schwarz
    int overbid


ctypedef struct CardTables:
    uint32_t follow[CONTRACTS][32]      # the cards that follow a led card
    uint8_t strength[CONTRACTS][32]     # order within a group, low to high
    uint8_t group[CONTRACTS][32]        # 0..3 plain suit, 4 trump
    uint8_t points[32]                  # card points

cdef const CardTables* tables() noexcept nogil

cdef void start_deal(SkatData* s, const uint32_t* places, bint play_out) noexcept nogil
cdef void begin_play(SkatData* s) noexcept nogil
cdef uint64_t legal(const SkatData* s) noexcept nogil
cdef void push(SkatData* s, int action) noexcept nogil
cdef int rollout(SkatData* s, uint64_t* stream) noexcept nogil
cdef void pop(SkatData* s) noexcept nogil
cdef int points_of(uint32_t mask) noexcept nogil
cdef int matadors(uint32_t twelve, int contract) noexcept nogil
cdef void result(const SkatData* s, int claim, SkatResult* out) noexcept nogil
cdef void returns(const SkatData* s, int unit, int32_t* out) noexcept nogil
cdef void score(const SkatResult* r, int unit, int32_t* out) noexcept nogil
cdef void hide(SkatData* s, int viewer) noexcept nogil
cdef void slots(const SkatData* s, int8_t* out) noexcept nogil
cdef void complete(SkatData* s, const uint32_t* unknown, uint64_t* stream) noexcept nogil
