"""The encoding of a whole world of Klaverjas: where all cards lie, and what is left to play for."""

from libc.stdint cimport uint32_t

from skat_env._encoder cimport make_encoder
from skat_env._feature_floats cimport write_mask, write_number, write_one_hot
from skat_env.klaverjas._rules cimport NOBODY, PLAY, SEATS, TRICKS, KlaverjasData
from skat_env.klaverjas.encoders._cardplay cimport relabel

from skat_env.features import Feature
from skat_env.klaverjas._state import KlaverjasPosition

cdef float ALL_POINTS = 162.0
cdef float HUNDRED = 100.0


cdef void write_world(const void* data, int seat, float* out) noexcept nogil:
    """The features, whoever asks."""
    cdef const KlaverjasData* s = <const KlaverjasData*>data
    cdef int on_table = s.plays % SEATS
    cdef int team = s.declarer & 1
    cdef int relative, i
    cdef uint32_t[4] trick
    for relative in range(SEATS):
        trick[relative] = 0
    for i in range(on_table):
        relative = (s.leaders[s.plays // SEATS] + i - s.declarer) & 3
        trick[relative] = <uint32_t>1 << s.history[s.length - on_table + i]
    for relative in range(SEATS):
        out = write_mask(out, relabel(s.hands[(s.declarer + relative) & 3], s.trump))
    for relative in range(SEATS):
        out = write_mask(out, relabel(trick[relative], s.trump))
    out = write_one_hot(out, (s.to_act - s.declarer) & 3, SEATS)
    out = write_number(out, s.points[team] / ALL_POINTS)
    out = write_number(out, s.points[1 - team] / ALL_POINTS)
    out = write_number(out, s.roem[team] / HUNDRED)
    out = write_number(out, s.roem[1 - team] / HUNDRED)
    out = write_number(out, s.tricks[team] > 0)
    out = write_number(out, s.tricks[1 - team] > 0)
    write_one_hot(out, s.plays // SEATS, TRICKS)


cdef bint reads_world(const void* data, int seat) noexcept nogil:
    cdef const KlaverjasData* s = <const KlaverjasData*>data
    return s.phase == PLAY and s.viewer == NOBODY


WORLD = make_encoder(
    "klaverjas.world",
    1,
    (
        Feature("hands", (4, 32), "the cards of the declarer, and of the seats after it"),
        Feature("trick", (4, 32), "cards on the table, by the same seats"),
        Feature("to_act", (4,), "the seat to act, counted from the declarer"),
        Feature("points", (2,), "the declaring and the other team's card points in tricks, of 162"),
        Feature("roem", (2,), "the declaring and the other team's roem, in hundreds"),
        Feature("tricks", (2,), "the declaring, the other team has a trick"),
        Feature("trick_number", (8,), "the trick, of eight"),
    ),
    "the cardplay of Klaverjas with all cards known",
    KlaverjasPosition,
    write_world,
    reads_world,
)
