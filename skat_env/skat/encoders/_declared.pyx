"""The encoding of a declared game of Skat as its soloist sees it before the first card.

Suits are relabelled as in the soloist's cardplay. The row stays the same until the game ends.
"""

from libc.stdint cimport uint32_t

from skat_env._encoder cimport make_encoder
from skat_env._feature_floats cimport write_bits, write_mask, write_number, write_one_hot
from skat_env.skat.encoders._cardplay cimport Plays, bid_types, collect, needs_schneider, plain_value
from skat_env.skat.encoders._relabelled cimport Labels, moved, moved_suits, relabelling
from skat_env.skat._rules cimport GRAND_CONTRACT, NULL_CONTRACT, PLAY, SEATS, SKAT, SkatData

from skat_env.features import Feature
from skat_env.skat import rules
from skat_env.skat._state import SkatPosition

cdef float HUNDRED = 100.0
cdef int[64] BID_VALUES = (0, *rules.BID_VALUES)    # by level


cdef void write_declared(const void* data, int seat, float* out) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    cdef uint32_t skat = s.hands[SKAT] if s.picked_up else 0
    cdef bint is_null = s.contract == NULL_CONTRACT
    cdef Labels labels
    cdef Plays plays
    cdef int relative
    collect(s, seat, &plays)
    labels = relabelling(s, s.hands[seat] | plays.played[0], skat)
    out = write_mask(out, moved(s.hands[seat] | plays.played[0], &labels))
    out = write_mask(out, moved(skat, &labels))
    out = write_one_hot(out, seat, SEATS)
    out = write_one_hot(out, max(0, s.contract - (GRAND_CONTRACT - 1)), 3)
    out = write_one_hot(out, s.contract, 4)
    out = write_number(out, s.hand_game)
    out = write_number(out, s.announcement >= 1 and not is_null)
    out = write_number(out, s.announcement >= 2 and not is_null)
    out = write_number(out, s.announcement == 3)
    out = write_number(out, BID_VALUES[s.bid] / HUNDRED)
    out = write_number(out, 0 if is_null else plain_value(s, seat) / HUNDRED)
    out = write_number(out, needs_schneider(s, seat))
    for relative in range(1, SEATS):
        out = write_bits(out, moved_suits(bid_types(s, (seat + relative) % SEATS), &labels), 6)
    for relative in range(1, SEATS):
        out = write_number(out, BID_VALUES[s.bids[(seat + relative) % SEATS]] / HUNDRED)


cdef bint reads_declared(const void* data, int seat) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    return s.phase == PLAY and seat == s.soloist


DECLARED = make_encoder(
    "skat.declared",
    1,
    (
        Feature("hand", (32,), "own cards before the first card was played"),
        Feature("skat", (32,), "the cards that the soloist has laid away; none in a hand game"),
        Feature("seat", (3,), "forehand, middlehand, rearhand"),
        Feature("kind", (3,), "suit, grand, null"),
        Feature("suit", (4,), "the trump suit before it was relabelled: the game's base value"),
        Feature("hand_game", (1,), "the soloist plays hand"),
        Feature("announced", (3,), "schneider, schwarz, ouvert"),
        Feature("bid", (1,), "the soloist's bid, in hundreds"),
        Feature("value", (1,), "what a suit or grand game is worth without schneider, in hundreds"),
        Feature(
            "needs_schneider", (1,), "wins only with 90 card points: announced, or the bid is above the value without"
        ),
        Feature(
            "bid_type", (2, 6), "of relative seats 1 and 2: contracts (suits, grand, null) that its highest bid fits"
        ),
        Feature("bids", (2,), "of relative seats 1 and 2: its highest bid, in hundreds"),
    ),
    "the soloist's declared game in Skat",
    SkatPosition,
    write_declared,
    reads_declared,
)
