"""Encodings of the cardplay for self-play: suits relabelled, the same layout for every kind of game.

The trump suit comes first. The plain suits follow in an order determined by the cards that the seat was dealt in them,
so that hands that differ only in their suits look the same: up to 24 positions become one. Jacks keep their numbers if
they are trumps.
"""

from libc.stdint cimport uint8_t, uint32_t

from skat_env._encoder cimport make_encoder
from skat_env._feature_floats cimport write_bits, write_mask, write_number, write_one_hot
from skat_env._bits cimport popcount
from skat_env.skat cimport _rules
from skat_env.skat.encoders._cardplay cimport (
    Plays, bid_types, collect, needs_schneider, partner_wins, plain_value, voids,
)
from skat_env.skat._rules cimport NULL_CONTRACT, PLAY, SKAT, SkatData

from skat_env.features import Feature
from skat_env.skat import rules
from skat_env.skat._state import SkatPosition

cdef enum:
    JACKS = 0x10101010

cdef float HUNDRED = 100.0
cdef int[64] BID_VALUES = (0, *rules.BID_VALUES)    # by level

COMMON = (
    Feature("hand", (32,), "own cards"),
    Feature("unseen", (32,), "cards of which the seat does not know where they are"),
    Feature("played", (3, 32), "cards played, by relative seat"),
    Feature("led", (2, 32), "of relative seats 1 and 2: cards with which it opened a trick"),
    Feature("sloughed", (2, 32), "of relative seats 1 and 2: cards that neither followed nor were trumps"),
    Feature("trick", (2, 32), "cards on the table, of relative seats 1 and 2"),
    Feature("void", (2, 5), "of relative seats 1 and 2: has failed to follow the suits, trumps"),
    Feature(
        "soloist_points", (24,), "card points in the soloist's tricks, and its discards if known: one for each full 5"
    ),
    Feature("defender_points", (24,), "card points in the defenders' tricks: one for each full 5"),
    Feature("points", (3,), "the same two and those on the table, in hundreds"),
    Feature("bid_type", (2, 6), "of relative seats 1 and 2: contracts (suits, grand, null) that its highest bid fits"),
    Feature("bid", (1,), "the soloist's bid, in hundreds"),
    Feature("bids", (2,), "highest bids of relative seats 1 and 2, in hundreds"),
    Feature("seat", (3,), "forehand, middlehand, rearhand"),
    Feature("suit", (4,), "the trump suit before it was relabelled: the game's base value"),
    Feature("hand_game", (1,), "the soloist plays hand"),
    Feature("announced", (3,), "schneider, schwarz, ouvert"),
)
SOLOIST = (
    Feature("skat", (32,), "the cards that the soloist has laid away; none in a hand game"),
    Feature("needs_schneider", (1,), "wins only with 90 card points: announced, or the bid is above the value without"),
    Feature("value", (1,), "what a suit or grand game is worth without schneider, in hundreds"),
)
DEFENDER = (
    Feature("soloist", (2,), "relative seat 1 or 2"),
    Feature("partner_wins", (1,), "the best card on the table is the other defender's"),
    Feature("open_hand", (32,), "cards left in the soloist's hand of an ouvert game"),
)


cdef Labels relabelling(const SkatData* s, uint32_t dealt, uint32_t skat) noexcept nogil:
    """The order of the suits for a seat that was dealt the cards `dealt` and knows the skat `skat`."""
    cdef Labels labels
    cdef int suit, place, held, key
    cdef int[4] keys
    labels.jacks = 0 if s.contract == NULL_CONTRACT else JACKS
    dealt &= ~labels.jacks
    for suit in range(4):
        # Longer suits first, then higher cards; the cards in the skat break ties.
        held = dealt >> 8 * suit & 0xFF
        key = popcount(held) << 16 | held << 8 | <int>(skat >> 8 * suit & 0xFF)
        if suit == s.contract:
            key = 1 << 24
        place = suit
        while place > 0 and keys[place - 1] < key:
            keys[place] = keys[place - 1]
            labels.suits[place] = labels.suits[place - 1]
            place -= 1
        keys[place] = key
        labels.suits[place] = suit
    return labels


cdef inline float* write_common(
    float* out, const SkatData* s, int seat, const Plays* plays, uint32_t seen, const Labels* labels
) noexcept nogil:
    """The features COMMON; `seen` are the known cards that are neither in the own hand nor played."""
    cdef uint32_t played = plays.played[0] | plays.played[1] | plays.played[2]
    cdef int soloist_points = s.points[0]
    cdef int relative
    if seat == s.soloist and s.picked_up:
        soloist_points += _rules.points_of(s.hands[SKAT])
    out = write_mask(out, moved(s.hands[seat], labels))
    out = write_mask(out, moved(~(s.hands[seat] | seen | played), labels))
    for relative in range(3):
        out = write_mask(out, moved(plays.played[relative], labels))
    for relative in range(1, 3):
        out = write_mask(out, moved(plays.led[relative], labels))
    for relative in range(1, 3):
        out = write_mask(out, moved(plays.sloughed[relative], labels))
    for relative in range(1, 3):
        out = write_mask(out, moved(plays.trick & plays.played[relative], labels))
    for relative in range(1, 3):
        out = write_bits(out, moved_suits(voids(s, (seat + relative) % 3), labels), 5)
    out = write_steps(out, soloist_points)
    out = write_steps(out, s.points[1])
    out = write_number(out, soloist_points / HUNDRED)
    out = write_number(out, s.points[1] / HUNDRED)
    out = write_number(out, _rules.points_of(plays.trick) / HUNDRED)
    for relative in range(1, 3):
        out = write_bits(out, moved_suits(bid_types(s, (seat + relative) % 3), labels), 6)
    out = write_number(out, BID_VALUES[s.bid] / HUNDRED)
    for relative in range(1, 3):
        out = write_number(out, BID_VALUES[s.bids[(seat + relative) % 3]] / HUNDRED)
    out = write_one_hot(out, seat, 3)
    out = write_one_hot(out, s.contract, 4)
    out = write_number(out, s.hand_game)
    out = write_number(out, s.announcement >= 1 and s.contract != NULL_CONTRACT)
    out = write_number(out, s.announcement >= 2 and s.contract != NULL_CONTRACT)
    return write_number(out, s.announcement == 3)


cdef void write_soloist(const void* data, int seat, float* out) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    cdef uint32_t skat = s.hands[SKAT] if s.picked_up else 0
    cdef Labels labels
    cdef Plays plays
    collect(s, seat, &plays)
    labels = relabelling(s, s.hands[seat] | plays.played[0], skat)
    out = write_common(out, s, seat, &plays, skat, &labels)
    out = write_mask(out, moved(skat, &labels))
    out = write_number(out, needs_schneider(s, seat))
    write_number(out, 0 if s.contract == NULL_CONTRACT else plain_value(s, seat) / HUNDRED)


cdef void write_defender(const void* data, int seat, float* out) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    cdef uint32_t opened = s.hands[s.soloist] if s.announcement == 3 else 0
    cdef Labels labels
    cdef Plays plays
    collect(s, seat, &plays)
    labels = relabelling(s, s.hands[seat] | plays.played[0], 0)
    out = write_common(out, s, seat, &plays, opened, &labels)
    out = write_one_hot(out, (s.soloist - seat + 2) % 3, 2)
    out = write_number(out, partner_wins(s, seat))
    write_mask(out, moved(opened, &labels))


cdef void label(const void* data, int seat, uint8_t* out) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    cdef uint32_t dealt = s.hands[seat]
    cdef uint32_t skat = s.hands[SKAT] if seat == s.soloist and s.picked_up else 0
    cdef int first = s.length - s.plays
    cdef int place, rank, i
    cdef Labels labels
    for i in range(s.plays):
        if (s.leaders[i // 3] + i % 3) % 3 == seat:
            dealt |= <uint32_t>1 << s.history[first + i]
    labels = relabelling(s, dealt, skat)
    for place in range(4):
        for rank in range(8):
            out[8 * labels.suits[place] + rank] = 8 * place + rank
    if labels.jacks:
        for place in range(4):
            out[8 * place + 4] = 8 * place + 4


cdef bint reads_soloist(const void* data, int seat) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    return s.phase == PLAY and seat == s.soloist


cdef bint reads_defender(const void* data, int seat) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    return s.phase == PLAY and seat != s.soloist


RELABELLED_SOLOIST = make_encoder(
    "skat.relabelled_soloist", 2, (*COMMON, *SOLOIST), "the soloist's cardplay in Skat", SkatPosition,
    write_soloist, reads_soloist, label,
)
RELABELLED_DEFENDER = make_encoder(
    "skat.relabelled_defender", 2, (*COMMON, *DEFENDER), "the defenders' cardplay in Skat", SkatPosition,
    write_defender, reads_defender, label,
)
