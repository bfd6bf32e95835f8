"""The encodings of Klaverjas from which networks infer where the cards lay before the cardplay."""

from libc.stdint cimport uint8_t

from skat_env._encoder cimport make_encoder
from skat_env._feature_floats cimport write_mask, write_one_hot
from skat_env.klaverjas.encoders._cardplay cimport Cards, collect, label, reads_cardplay, relabel, write_choice
from skat_env.klaverjas._rules cimport SEATS, KlaverjasData

from skat_env.features import Feature
from skat_env.klaverjas._state import KlaverjasPosition
from skat_env.klaverjas.encoders._cardplay import CHOICE

cdef enum:
    REMEMBERED = 28     # cards in the history: seven tricks; the cards of the eighth are on the table


cdef void write(const void* data, int seat, float* out) noexcept nogil:
    cdef const KlaverjasData* s = <const KlaverjasData*>data
    cdef const uint8_t* plays = &s.history[s.length - s.plays]
    cdef uint8_t numbers[32]
    cdef int relative, i
    cdef Cards cards
    collect(s, seat, &cards)
    label(s, seat, numbers)
    out = write_mask(out, relabel(s.hands[seat], s.trump))
    for relative in range(SEATS):
        out = write_mask(out, relabel(cards.played[relative], s.trump))
    for relative in range(1, SEATS):
        out = write_mask(out, relabel(cards.led[relative], s.trump))
    for relative in range(1, SEATS):
        out = write_mask(out, relabel(cards.trick[relative], s.trump))
    for relative in range(1, SEATS):
        out = write_mask(out, relabel(cards.possible[relative], s.trump))
    out = write_choice(out, s, seat)
    for i in range(REMEMBERED):
        out = write_one_hot(out, numbers[plays[i]] if i < s.plays else -1, 32)


cdef void write_before(const void* data, int seat, float* out) noexcept nogil:
    cdef const KlaverjasData* s = <const KlaverjasData*>data
    cdef Cards cards
    collect(s, seat, &cards)
    out = write_mask(out, relabel(s.hands[seat] | cards.played[0], s.trump))
    write_choice(out, s, seat)


LOCATIONS = make_encoder(
    "klaverjas.locations",
    2,
    (
        Feature("hand", (32,), "own cards"),
        Feature("played", (4, 32), "all cards played, by relative seat"),
        Feature("led", (3, 32), "of relative seats 1 to 3: cards with which it opened a trick"),
        Feature("trick", (3, 32), "cards on the table, by relative seat 1 to 3"),
        Feature("possible", (3, 32), "cards that relative seats 1 to 3 may hold still"),
        *CHOICE,
        Feature("history", (28, 32), "the cards of the first seven tricks in the order played"),
    ),
    "the cardplay of Klaverjas",
    KlaverjasPosition,
    write,
    reads_cardplay,
    label,
)
LOCATIONS_BEFORE = make_encoder(
    "klaverjas.locations_before",
    2,
    (Feature("hand", (32,), "own cards before the cardplay"), *CHOICE),
    "the cardplay of Klaverjas",
    KlaverjasPosition,
    write_before,
    reads_cardplay,
    label,
)
