"""The encodings of Klaverjas: Aaldering's 299 values for value networks, and ours for policy networks.

Both relabel the suits as in `suits.py`: trumps come first.
"""

from libc.stdint cimport int8_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from skat_env._encoder cimport make_encoder
from skat_env._feature_floats cimport write_bits, write_mask, write_number, write_one_hot
from skat_env._bits cimport trailing_zeros
from skat_env.klaverjas cimport _rules
from skat_env.klaverjas._rules cimport (
    ACT_PASS, CHOOSE, GIVEN, NOBODY, OVER, PLAY, SEATS, TRICKS, DealScore, KlaverjasData
)

from skat_env.features import Feature
from skat_env.klaverjas._state import KlaverjasPosition

cdef enum:
    LOCATIONS = 9

cdef float ALL_POINTS = 162.0
cdef float HUNDRED = 100.0
cdef float[4] SHARES = [0, 1, 1 / 2.0, 1 / 3.0]     # by how many seats may hold a card


cdef void collect(const KlaverjasData* s, int seat, Cards* out) noexcept nogil:
    """Collects where the cards are or may be, as a seat knows it."""
    cdef const uint8_t* cards = &s.history[s.length - s.plays]
    cdef uint32_t excluded[4]
    cdef int8_t slots[4]
    cdef int i, relative
    cdef uint32_t bit, unseen
    memset(out, 0, sizeof(Cards))
    for i in range(s.plays):
        relative = (s.leaders[i >> 2] + i - seat) & 3
        bit = <uint32_t>1 << cards[i]
        out.played[relative] |= bit
        if i & 3 == 0:
            out.led[relative] |= bit
        if i >> 2 == s.plays >> 2:
            out.trick[relative] = bit
    unseen = ~(s.hands[seat] | out.played[0] | out.played[1] | out.played[2] | out.played[3])
    _rules.excluded(s, excluded)
    _rules.slots(s, slots)
    for relative in range(1, SEATS):
        i = (seat + relative) & 3
        out.possible[relative] = unseen & ~excluded[i] if slots[i] else 0


cdef uint32_t relabel(uint32_t mask, int trump) noexcept nogil:
    """A mask with the trump suit moved to the front."""
    cdef uint64_t below = (<uint64_t>1 << 8 * trump) - 1
    cdef uint64_t above = ~((<uint64_t>1 << 8 * (trump + 1)) - 1)
    return mask >> 8 * trump & 0xFF | <uint32_t>((mask & below) << 8) | <uint32_t>(mask & above)


cdef inline int leader(const KlaverjasData* s) noexcept nogil:
    """The seat that leads or led the trick on the table; NOBODY after the last trick."""
    return s.leaders[s.plays >> 2] if s.phase == PLAY else NOBODY


cdef bint reads_perspective(const void* data, int seat) noexcept nogil:
    return (<const KlaverjasData*>data).phase != CHOOSE


cdef void write_perspective(const void* data, int seat, float* out) noexcept nogil:
    cdef const KlaverjasData* s = <const KlaverjasData*>data
    cdef int team = seat & 1
    cdef int relative, row
    cdef uint32_t mask, on_table = 0
    cdef uint32_t all_played = 0
    cdef uint32_t possible[4]
    cdef float share
    cdef DealScore deal
    cdef Cards cards
    collect(s, seat, &cards)
    memset(out, 0, 32 * LOCATIONS * sizeof(float))
    mask = relabel(s.hands[seat], s.trump)
    while mask:
        out[trailing_zeros(mask) * LOCATIONS] = 1
        mask &= mask - 1
    for relative in range(SEATS):
        possible[relative] = relabel(cards.possible[relative], s.trump)
        all_played |= cards.played[relative]
        on_table |= cards.trick[relative]
        if cards.trick[relative]:
            out[trailing_zeros(relabel(cards.trick[relative], s.trump)) * LOCATIONS + 4 + relative] = 1
    mask = possible[1] | possible[2] | possible[3]
    while mask:
        row = trailing_zeros(mask)
        share = SHARES[(possible[1] >> row & 1) + (possible[2] >> row & 1) + (possible[3] >> row & 1)]
        for relative in range(1, SEATS):
            if possible[relative] >> row & 1:
                out[row * LOCATIONS + relative] = share
        mask &= mask - 1
    mask = relabel(all_played & ~on_table, s.trump)
    while mask:
        out[trailing_zeros(mask) * LOCATIONS + 8] = 1
        mask &= mask - 1
    out = write_one_hot(out + 32 * LOCATIONS, relative_seat(leader(s), seat), SEATS)
    out = write_one_hot(out, relative_seat(s.to_act, seat), SEATS)
    out = write_number(out, (s.declarer & 1) == team)
    if s.phase == OVER:
        _rules.score(s, 0, &deal)
        out = write_number(out, deal.scores[team] / HUNDRED)
        write_number(out, deal.scores[1 - team] / HUNDRED)
    else:
        out = write_number(out, (s.points[team] + s.roem[team]) / HUNDRED)
        write_number(out, (s.points[1 - team] + s.roem[1 - team]) / HUNDRED)


cdef void label(const void* data, int seat, uint8_t* out) noexcept nogil:
    cdef int trump = (<const KlaverjasData*>data).trump
    cdef int card, suit
    for card in range(32):
        suit = card >> 3
        out[card] = (0 if suit == trump else suit + (suit < trump)) << 3 | card & 7


cdef bint reads_cardplay(const void* data, int seat) noexcept nogil:
    return (<const KlaverjasData*>data).phase == PLAY


cdef float* write_choice(float* out, const KlaverjasData* s, int seat) noexcept nogil:
    """The features CHOICE."""
    cdef int i, passed = 0
    for i in range(s.length - s.plays):
        if s.history[i] == ACT_PASS:
            passed |= 1 << relative_seat((s.forehand + i) & 3, seat)
    out = write_one_hot(out, relative_seat(s.declarer, seat), SEATS)
    out = write_one_hot(out, relative_seat(s.forehand, seat), SEATS)
    out = write_bits(out, passed, SEATS)
    out = write_bits(out, s.options.choice == GIVEN, 1)
    return write_bits(out, s.options.amsterdam, 1)


cdef void write_cardplay(const void* data, int seat, float* out) noexcept nogil:
    cdef const KlaverjasData* s = <const KlaverjasData*>data
    cdef int team = seat & 1
    cdef int relative
    cdef Cards cards
    collect(s, seat, &cards)
    out = write_mask(out, relabel(s.hands[seat], s.trump))
    for relative in range(1, SEATS):
        out = write_mask(out, relabel(cards.trick[relative], s.trump))
    for relative in range(SEATS):
        out = write_mask(out, relabel(cards.played[relative], s.trump))
    for relative in range(1, SEATS):
        out = write_mask(out, relabel(cards.possible[relative], s.trump))
    out = write_one_hot(out, relative_seat(leader(s), seat), SEATS)
    out = write_one_hot(out, (leader(s) + s.best - seat) & 3 if s.plays & 3 else -1, SEATS)
    out = write_number(out, (s.declarer & 1) == team)
    out = write_number(out, s.points[team] / ALL_POINTS)
    out = write_number(out, s.points[1 - team] / ALL_POINTS)
    out = write_number(out, s.roem[team] / HUNDRED)
    out = write_number(out, s.roem[1 - team] / HUNDRED)
    out = write_one_hot(out, s.plays >> 2, TRICKS)
    write_choice(out, s, seat)


CHOICE = (
    Feature("declarer", (4,), "relative seat of the declarer"),
    Feature("forehand", (4,), "relative seat that leads to the first trick, and could choose first"),
    Feature("passed", (4,), "by relative seat: has passed the choice of trumps"),
    Feature("given", (1,), "trumps and declarer came with the deal: nobody chose"),
    Feature("amsterdam", (1,), "the rules are those of Amsterdam, not of Rotterdam"),
)
PERSPECTIVE = make_encoder(
    "klaverjas.perspective",
    1,
    (
        Feature("cards", (32, 9), "chance of each card to lie in the hands of relative seats 0 to 3, their cards on "
                "the "
                "table, and the tricks before; of an unseen card the same for all who may hold it"),
        Feature("leader", (4,), "relative seat that leads the trick"),
        Feature("to_act", (4,), "relative seat to act"),
        Feature("declaring", (1,), "the own team chose trumps"),
        Feature("scores", (2,), "own and other team's points and roem so far, at the end their scores, in hundreds"),
    ),
    "the cardplay of Klaverjas and its end",
    KlaverjasPosition,
    write_perspective,
    reads_perspective,
)
CARDPLAY = make_encoder(
    "klaverjas.cardplay",
    2,
    (
        Feature("hand", (32,), "own cards"),
        Feature("trick", (3, 32), "cards on the table, by relative seat 1 to 3"),
        Feature("played", (4, 32), "all cards played, by relative seat"),
        Feature("possible", (3, 32), "cards that relative seats 1 to 3 may hold still"),
        Feature("leader", (4,), "relative seat that leads the trick"),
        Feature("winning", (4,), "relative seat that wins the trick so far"),
        Feature("declaring", (1,), "the own team chose trumps"),
        Feature("points", (2,), "own and other team's card points in tricks, of 162"),
        Feature("roem", (2,), "own and other team's roem, in hundreds"),
        Feature("trick_number", (8,), "the trick, of eight"),
        *CHOICE,
    ),
    "the cardplay of Klaverjas",
    KlaverjasPosition,
    write_cardplay,
    reads_cardplay,
    label,
)
