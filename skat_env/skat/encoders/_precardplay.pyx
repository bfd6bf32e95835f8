"""The five encodings of Rebstock 2019, Table 3.1: what a seat knows at each decision before the cardplay.

`NEXT_BID` is ours: a single bid or answer, where the paper predicts the maximum. The paper counts 67 bids; here there
are 63 bid values and passing. Bid levels run from 0, "none", to 63.
"""

from libc.stdint cimport uint32_t

from skat_env._encoder cimport make_encoder
from skat_env._feature_floats cimport write_bits, write_mask, write_number, write_one_hot
from skat_env.skat._rules cimport (
    ANNOUNCE, ANSWER, BID, CONTRACT, DISCARD, PICK_UP, SKAT, SkatData,
)

from skat_env.features import Feature
from skat_env.skat._state import SkatPosition

cdef enum:
    LEVELS = 64

HAND = Feature("hand", (32,), "own cards")
TWELVE = Feature("hand_and_skat", (32,), "own ten cards and the two of the skat, laid away or not")
POSITION = Feature("position", (3,), "forehand, middlehand, rearhand")
PASS_BID = Feature("pass_bid", (64,), "level that fore- or middlehand had reached when it passed against the other")
WINNING_BID = Feature("winning_bid", (64,), "level of the last bid")
PASSED = Feature("passed", (3,), "forehand, middlehand, rearhand have passed")
PASS_BID_IF = Feature("pass_bid", (64,), "the same if the seat accepts and the others pass")
ASKED = Feature("asked", (64,), "level that is to be bid or held")
OUVERT = Feature("ouvert", (1,), "the game is played with open cards")


cdef inline uint32_t twelve(const SkatData* s, int seat) noexcept nogil:
    return s.hands[seat] | s.hands[SKAT]


cdef inline float* write_auction(float* out, const SkatData* s, int seat) noexcept nogil:
    """Position, pass bid and winning bid."""
    out = write_one_hot(out, seat, 3)
    # Between forehand and middlehand, the winner's level is at least the loser's.
    out = write_one_hot(out, min(s.bids[0], s.bids[1]), LEVELS)
    return write_one_hot(out, s.bid, LEVELS)


cdef bint reads_bid_answer(const void* data, int seat) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    return s.phase <= ANSWER and not s.passed & 3


cdef void write_bid_answer(const void* data, int seat, float* out) noexcept nogil:
    write_one_hot(write_mask(out, (<const SkatData*>data).hands[seat]), seat, 3)


cdef bint reads_continue_answer(const void* data, int seat) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    return s.phase <= ANSWER and s.passed & 3


cdef void write_continue_answer(const void* data, int seat, float* out) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    out = write_one_hot(write_mask(out, s.hands[seat]), seat, 3)
    write_one_hot(out, min(s.bids[0], s.bids[1]), LEVELS)


cdef bint reads_bid(const void* data, int seat) noexcept nogil:
    return (<const SkatData*>data).phase <= ANSWER


cdef void write_bid(const void* data, int seat, float* out) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    cdef int asked = s.bid + (s.phase == BID)
    out = write_one_hot(write_mask(out, s.hands[seat]), seat, 3)
    out = write_one_hot(out, min(asked if seat == 0 else s.bids[0], asked if seat == 1 else s.bids[1]), LEVELS)
    out = write_one_hot(out, asked, LEVELS)
    write_bits(out, s.passed, 3)


cdef bint reads_hand_pickup(const void* data, int seat) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    return seat == s.soloist and (s.phase == PICK_UP or (s.hand_game and s.phase in (CONTRACT, ANNOUNCE)))


cdef void write_hand_pickup(const void* data, int seat, float* out) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    write_auction(write_mask(out, s.hands[seat]), s, seat)


cdef bint reads_declare(const void* data, int seat) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    return seat == s.soloist and s.picked_up and s.phase in (CONTRACT, ANNOUNCE)


cdef void write_declare(const void* data, int seat, float* out) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    write_auction(write_mask(out, twelve(s, seat)), s, seat)


cdef bint reads_discard(const void* data, int seat) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    return seat == s.soloist and s.phase == DISCARD


cdef void write_discard(const void* data, int seat, float* out) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    write_number(write_auction(write_mask(out, twelve(s, seat)), s, seat), s.announcement == 3)


BID_ANSWER = make_encoder(
    "skat.bid_answer", 1, (HAND, POSITION),
    "auctions of Skat in which neither fore- nor middlehand has passed",
    SkatPosition, write_bid_answer, reads_bid_answer,
)
CONTINUE_ANSWER = make_encoder(
    "skat.continue_answer", 1, (HAND, POSITION, PASS_BID),
    "auctions of Skat in which fore- or middlehand has passed",
    SkatPosition, write_continue_answer, reads_continue_answer,
)
NEXT_BID = make_encoder(
    "skat.bid", 1, (HAND, POSITION, PASS_BID_IF, ASKED, PASSED),
    "auctions of Skat",
    SkatPosition, write_bid, reads_bid,
)
HAND_PICKUP = make_encoder(
    "skat.hand_pickup", 1, (HAND, POSITION, PASS_BID, WINNING_BID),
    "the soloist's choice in Skat between the skat and a hand game, and of the hand game",
    SkatPosition, write_hand_pickup, reads_hand_pickup,
)
DECLARE = make_encoder(
    "skat.declare", 1, (TWELVE, POSITION, PASS_BID, WINNING_BID),
    "the soloist's choice of a game in Skat after picking up",
    SkatPosition, write_declare, reads_declare,
)
DISCARD_PAIR = make_encoder(
    "skat.discard", 1, (TWELVE, POSITION, PASS_BID, WINNING_BID, OUVERT),
    "the soloist's discarding in Skat",
    SkatPosition, write_discard, reads_discard,
)
