"""The encodings of Solinas 2019, Table 2, from which networks infer where the cards lay before the cardplay."""

from libc.stdint cimport uint32_t

from skat_env._encoder cimport make_encoder
from skat_env._feature_floats cimport write_mask, write_number, write_one_hot
from skat_env.skat.encoders._cardplay cimport Plays, collect, write_bid_types, write_plays
from skat_env.skat._rules cimport PLAY, SKAT, SkatData

from skat_env.features import Feature
from skat_env.skat.encoders._cardplay import BID_TYPE, OPEN_CARDS
from skat_env.skat._state import SkatPosition
from skat_env.skat.rules import BID_VALUES

cdef enum:
    REMEMBERED = 24     # cards in the history: eight tricks

cdef int MAGNITUDES[64]     # by level of a bid: 0 to 18..24, 1 to 27..36, 2 to 40..48, 3 to 50..72, 4 above; -1: no bid


cdef void build_magnitudes():
    cdef int level
    MAGNITUDES[0] = -1
    for level, value in enumerate(BID_VALUES, start=1):
        MAGNITUDES[level] = sum(value > highest for highest in (24, 36, 48, 72))


build_magnitudes()


cdef bint reads(const void* data, int seat) noexcept nogil:
    return (<const SkatData*>data).phase == PLAY


cdef inline float* write_own(float* out, const SkatData* s, int seat, uint32_t hand) noexcept nogil:
    """The features OWN."""
    out = write_mask(out, hand)
    return write_mask(out, s.hands[SKAT] if s.picked_up and seat == s.soloist else 0)


cdef inline float* write_bids(float* out, const SkatData* s, int seat) noexcept nogil:
    """The features BIDS."""
    cdef int relative
    out = write_bid_types(out, s, seat)
    for relative in range(1, 3):
        out = write_one_hot(out, MAGNITUDES[s.bids[(seat + relative) % 3]], 5)
    return out


cdef inline float* write_game(float* out, const SkatData* s, int seat) noexcept nogil:
    """The features GAME."""
    out = write_one_hot(out, (s.soloist + 3 - seat) % 3, 3)
    out = write_one_hot(out, s.contract, 5)
    return write_number(out, s.hand_game)


cdef void write(const void* data, int seat, float* out) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    cdef const unsigned char* cards = &s.history[s.length - s.plays]
    cdef int i
    cdef Plays plays
    collect(s, seat, &plays)
    out = write_own(out, s, seat, s.hands[seat])
    out = write_plays(out, s, seat, &plays)
    out = write_bids(out, s, seat)
    out = write_mask(out, plays.trick)
    out = write_game(out, s, seat)
    for i in range(REMEMBERED):
        out = write_one_hot(out, cards[i] if i < s.plays else -1, 32)


cdef void write_before(const void* data, int seat, float* out) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    cdef Plays plays
    collect(s, seat, &plays)
    out = write_own(out, s, seat, s.hands[seat] | plays.played[0])
    out = write_bids(out, s, seat)
    write_game(out, s, seat)


SKAT_CARDS = Feature("skat", (32,), "the cards that the observer has laid away")
BIDS = (
    BID_TYPE,
    Feature("bid_magnitude", (2, 5), "of relative seats 1 and 2: highest bid 18..24, 27..36, 40..48, 50..72, above"),
)
GAME = (
    Feature("soloist", (3,), "relative seat of the soloist"),
    Feature("trump_suit", (5,), "diamonds, hearts, spades, clubs, the jacks alone; none in a null game"),
    Feature("hand_game", (1,), "the soloist plays hand"),
)
LOCATIONS = make_encoder(
    "skat.locations",
    2,
    (
        Feature("hand", (32,), "own cards"),
        SKAT_CARDS,
        *OPEN_CARDS,
        *BIDS,
        Feature("trick", (32,), "cards on the table"),
        *GAME,
        Feature("history", (24, 32), "the cards of the first eight tricks in the order played"),
    ),
    "the cardplay of Skat",
    SkatPosition,
    write,
    reads,
)
LOCATIONS_BEFORE = make_encoder(
    "skat.locations_before",
    1,
    (Feature("hand", (32,), "own cards before the cardplay"), SKAT_CARDS, *BIDS, *GAME),
    "the cardplay of Skat",
    SkatPosition,
    write_before,
    reads,
)
