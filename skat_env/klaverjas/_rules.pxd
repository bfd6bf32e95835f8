"""Klaverjas' rules in C: one flat struct, and unchecked functions on it."""

from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t


cdef enum:
    SEATS = 4
    TRICKS = 8
    MAX_ACTIONS = 40        # 4 passes, 1 suit named, 32 plays, rounded to words
    NOBODY = 255
    UNDECIDED = 255

cdef enum:  # phases; the same as rules.Phase
    CHOOSE, PLAY, OVER

cdef enum:  # actions above the 32 cards; the same as in rules.py
    ACT_PASS = 32
    ACT_NAME = 33
    ACTIONS = 37

cdef enum:  # KlaverjasRules.choice
    GIVEN, FORCED, FREE


ctypedef struct Options:
    # KlaverjasRules: the index of each value in its list, 0 the default.
    uint8_t amsterdam
    uint8_t choice
    uint8_t tie_made
    uint8_t cheap_jacks         # four jacks count 100
    uint8_t pit_for_both


ctypedef struct KlaverjasData:
    uint32_t hands[4]           # cards that the seats hold now; a view lacks unknown ones
    uint32_t dealt[4]           # the deal
    uint8_t history[MAX_ACTIONS]    # all actions in order; zero beyond `length`
    uint8_t leaders[9]          # seat that leads each trick begun (and the one after it, when it is decided)
    uint8_t length              # actions so far
    uint8_t plays               # cards played, 0..32
    uint8_t phase               # rules.Phase
    uint8_t to_act              # seat, or NOBODY when over
    uint8_t best                # index in the trick on the table of the card that wins so far
    uint8_t forehand            # seat that leads to the first trick and chooses first
    uint8_t declarer            # seat, or NOBODY
    uint8_t trump               # suit, or UNDECIDED
    Options options
    uint8_t viewer              # seat that a view belongs to; NOBODY in a state
    uint8_t points[2]           # card points in tricks by team (seat & 1), including those for the last trick
    uint8_t tricks[2]           # tricks by team
    uint8_t unused              # aligns what follows
    uint16_t roem[2]            # roem by team


ctypedef struct DealScore:
    # The result of a finished deal; teams are seat & 1.
    int declarer
    int made
    int pit
    int points[2]
    int roem[2]
    int tricks[2]
    int scores[2]


ctypedef struct CardTables:
    uint8_t power[4][32]        # by trump suit: strength in the suit, trumps above all: plain 0..7, trumps 8..15
    uint8_t points[4][32]       # by trump suit: card points
    uint8_t higher[8]           # by rank: the trump ranks above it, as bits
    uint8_t runs[256]           # by the ranks of one suit in a trick: roem for a sequence
    uint8_t order[4][4][32]     # by trump suit and suit led: strength in the trick; 0: of neither suit
    uint32_t over[4][32]        # by trump suit and winning card: the trumps that beat it

cdef const CardTables* tables() noexcept nogil

cdef void start_deal(KlaverjasData* s, const uint32_t* places, int forehand, const Options* options) noexcept nogil
cdef void give_trumps(KlaverjasData* s, int declarer, int trump) noexcept nogil
cdef uint64_t legal(const KlaverjasData* s) noexcept nogil
cdef void excluded(const KlaverjasData* s, uint32_t* out) noexcept nogil
cdef int roem_of(int trump, bint cheap_jacks, uint32_t trick) noexcept nogil
cdef void push(KlaverjasData* s, int action) noexcept nogil
cdef int rollout(KlaverjasData* s, uint64_t* stream) noexcept nogil
cdef void pop(KlaverjasData* s) noexcept nogil
cdef void score(const KlaverjasData* s, int claim, DealScore* out) noexcept nogil
cdef void units(const DealScore* r, int unit, int32_t* out) noexcept nogil
cdef void hide(KlaverjasData* s, int viewer) noexcept nogil
cdef void slots(const KlaverjasData* s, int8_t* out) noexcept nogil
cdef void complete(KlaverjasData* s, const uint32_t* unknown) noexcept nogil
