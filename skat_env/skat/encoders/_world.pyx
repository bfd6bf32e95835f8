"""The encoding of a whole world of Skat: where all cards lie, and what is left to play for.

Suits are relabelled as for a seat that was dealt the soloist's cards.
"""

from libc.stdint cimport uint32_t

from skat_env._encoder cimport make_encoder
from skat_env._feature_floats cimport write_mask, write_number, write_one_hot
from skat_env.skat cimport _rules
from skat_env.skat._rules cimport CONTRACTS, NOBODY, NULL_CONTRACT, PLAY, SEATS, SKAT, SkatData
from skat_env.skat.encoders._relabelled cimport Labels, moved, relabelling, write_steps

from skat_env.features import Feature
from skat_env.skat import rules
from skat_env.skat._state import SkatPosition

cdef float HUNDRED = 100.0
cdef int[64] BID_VALUES = (0, *rules.BID_VALUES)            # by level
cdef int[6] BASE_VALUES = (*rules.BASE_VALUES, 0)           # by contract


cdef void write_world(const void* data, int seat, float* out) noexcept nogil:
    """The features, whoever asks."""
    cdef const SkatData* s = <const SkatData*>data
    cdef int on_table = s.plays % SEATS
    cdef int soloist_points = s.points[0] + _rules.points_of(s.hands[SKAT])
    cdef int value = 0
    cdef int relative, i, bid = BID_VALUES[s.bid]
    cdef uint32_t[3] trick
    cdef Labels labels = relabelling(s, s.dealt[s.soloist] | s.dealt[SKAT], s.hands[SKAT])
    if s.contract != NULL_CONTRACT:
        value = (1 + abs(_rules.matadors(s.dealt[s.soloist] | s.dealt[SKAT], s.contract)) + s.hand_game)
        value *= BASE_VALUES[s.contract]
    for relative in range(SEATS):
        trick[relative] = 0
    for i in range(on_table):
        relative = (s.leaders[s.plays // SEATS] + i + SEATS - s.soloist) % SEATS
        trick[relative] = <uint32_t>1 << s.history[s.length - on_table + i]
    for relative in range(SEATS):
        out = write_mask(out, moved(s.hands[(s.soloist + relative) % SEATS], &labels))
    out = write_mask(out, moved(s.hands[SKAT], &labels))
    for relative in range(SEATS):
        out = write_mask(out, moved(trick[relative], &labels))
    out = write_one_hot(out, (s.to_act + SEATS - s.soloist) % SEATS, SEATS)
    out = write_steps(out, soloist_points)
    out = write_steps(out, s.points[1])
    out = write_number(out, soloist_points / HUNDRED)
    out = write_number(out, s.points[1] / HUNDRED)
    out = write_number(out, s.tricks[0] > 0)
    out = write_number(out, s.tricks[1] > 0)
    out = write_one_hot(out, s.contract, CONTRACTS)
    out = write_number(out, s.hand_game)
    out = write_number(out, s.announcement >= 1 and s.contract != NULL_CONTRACT)
    out = write_number(out, s.announcement >= 2 and s.contract != NULL_CONTRACT)
    out = write_number(out, s.announcement == 3)
    out = write_number(out, value / HUNDRED)
    out = write_number(out, bid / HUNDRED)
    write_number(out, s.contract != NULL_CONTRACT and (s.announcement > 0 or value < bid))


cdef bint reads_world(const void* data, int seat) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    return s.phase == PLAY and s.viewer == NOBODY


WORLD = make_encoder(
    "skat.world",
    1,
    (
        Feature("hands", (3, 32), "the cards of the soloist, and of the seats after it"),
        Feature("skat", (32,), "the skat as it lies now"),
        Feature("trick", (3, 32), "cards on the table, by the same seats"),
        Feature("to_act", (3,), "the seat to act, counted from the soloist"),
        Feature("soloist_points", (24,), "card points in the soloist's tricks and the skat: one for each full 5"),
        Feature("defender_points", (24,), "card points in the defenders' tricks: one for each full 5"),
        Feature("points", (2,), "the same two, in hundreds"),
        Feature("tricks", (2,), "the soloist, the defenders have a trick"),
        Feature("contract", (6,), "D H S C grand null"),
        Feature("hand_game", (1,), "the soloist plays hand"),
        Feature("announced", (3,), "schneider, schwarz, ouvert"),
        Feature("value", (1,), "what a suit or grand game is worth without schneider, in hundreds"),
        Feature("bid", (1,), "the soloist's bid, in hundreds"),
        Feature("needs_schneider", (1,), "it wins only with 90 card points: announced, or the bid is above the value"),
    ),
    "the cardplay of Skat with all cards known",
    SkatPosition,
    write_world,
    reads_world,
)
