"""The six encodings of Rebstock 2019, Table 4.1: suit, grand and null, each for the soloist and for a defender."""

from libc.string cimport memset

from skat_env._encoder cimport make_encoder
from skat_env._feature_floats cimport write_bits, write_mask, write_number, write_one_hot
from skat_env.skat cimport _rules
from skat_env.skat._rules cimport GRAND_CONTRACT, GROUPS, NULL_CONTRACT, PLAY, SKAT, TRUMP_GROUP, CardTables

from skat_env.features import Feature
from skat_env.skat import rules
from skat_env.skat._state import SkatPosition

cdef enum:
    JACKS = 0x10101010

cdef float MAX_HAND_POINTS = 92.0      # four aces, four tens, two kings
cdef float MAX_TRICK_POINTS = 22.0     # two aces: a third card completes the trick
cdef float ALL_POINTS = 120.0
cdef uint32_t BID_TYPES[64]         # by bid level, a bit for every contract that can have this value
cdef int BID_VALUES[64]             # by level
cdef int BASE_VALUES[5]             # by contract
cdef const CardTables* TABLES = _rules.tables()

OPEN_CARDS = (
    Feature("played", (3, 32), "cards played, by relative seat"),
    Feature("led", (2, 32), "of relative seats 1 and 2: cards with which it opened a trick"),
    Feature("sloughed", (2, 32), "of relative seats 1 and 2: cards that neither followed nor were trumps"),
    Feature("void", (2, 5), "of relative seats 1 and 2: has failed to follow D, H, S, C, trumps"),
)
BID_TYPE = Feature(
    "bid_type", (2, 6),
    "of relative seats 1 and 2: contracts D H S C grand null of which its highest bid is a possible value",
)
COMMON = (
    Feature("hand", (32,), "own cards"),
    Feature("hand_value", (1,), "card points of the hand, of 92"),
    *OPEN_CARDS,
    Feature("trick", (32,), "cards on the table"),
    Feature("trick_value", (1,), "card points on the table, of 22"),
    BID_TYPE,
    Feature("soloist_points", (1,), "card points in the soloist's tricks, of 120; the skat is not in them"),
    Feature("defender_points", (1,), "card points in the defenders' tricks, of 120"),
    Feature("hand_game", (1,), "the soloist plays hand"),
    Feature("ouvert", (1,), "with open cards"),
    Feature("schneider", (1,), "schneider is announced, with schwarz too"),
    Feature("schwarz", (1,), "schwarz is announced, with suit and grand ouvert too"),
)
SOLOIST = (
    Feature("skat", (32,), "the cards that the soloist has laid away; none in a hand game"),
    Feature("needs_schneider", (1,), "wins only with 90 card points: announced, or the bid is above the value without"),
)
DEFENDER = (
    Feature("partner_wins", (1,), "the best card on the table is the other defender's"),
    Feature("soloist", (2,), "relative seat 1 or 2"),
    Feature("open_hand", (32,), "cards left in the soloist's hand of an ouvert game"),
)
TRUMPS = (Feature("trumps_left", (32,), "trumps that the seat has not seen: that others hold or that lie in the skat"),)
SUIT = (Feature("suit", (4,), "the trump suit"),)


cdef void build_tables():
    """Fills the tables from rules.py."""
    cdef int level, contract
    BID_TYPES[0] = BID_VALUES[0] = 0
    for level, value in enumerate(rules.BID_VALUES, start=1):
        possible = [value % base == 0 for base in rules.BASE_VALUES] + [value in rules.NULL_VALUES.values()]
        BID_TYPES[level] = sum(1 << i for i, fits in enumerate(possible) if fits)
        BID_VALUES[level] = value
    for contract in range(5):
        BASE_VALUES[contract] = rules.BASE_VALUES[contract]


build_tables()


cdef void collect(const SkatData* s, int seat, Plays* out) noexcept nogil:
    """Collects the cards played, by relative seat and by how they were played."""
    cdef const unsigned char* cards = &s.history[s.length - s.plays]
    cdef int trick, position, relative, card
    cdef int left = s.plays
    cdef uint32_t bit, follow
    memset(out, 0, sizeof(Plays))
    for trick in range((s.plays + 2) // 3):
        follow = TABLES.follow[s.contract][cards[0]]
        relative = s.leaders[trick] + 3 - seat
        relative -= 3 * (relative >= 3)
        out.led[relative] |= <uint32_t>1 << cards[0]
        out.trick = 0
        for position in range(min(3, left)):
            card = cards[position]
            bit = <uint32_t>1 << card
            out.played[relative] |= bit
            out.trick |= bit
            if not follow & bit and TABLES.group[s.contract][card] != TRUMP_GROUP:
                out.sloughed[relative] |= bit
            relative = 0 if relative == 2 else relative + 1
        cards += 3
        left -= 3
    if left == 0:
        out.trick = 0


cdef uint32_t voids(const SkatData* s, int seat) noexcept nogil:
    """Bits for those of D, H, S, C, trumps that a seat has failed to follow."""
    cdef uint32_t bits = 0
    cdef int group
    for group in range(GROUPS):
        bits |= <uint32_t>(s.void_since[seat][group] != 0) << group
    return bits


cdef float* write_plays(float* out, const SkatData* s, int seat, const Plays* plays) noexcept nogil:
    """The features OPEN_CARDS."""
    cdef int relative
    for relative in range(3):
        out = write_mask(out, plays.played[relative])
    for relative in range(1, 3):
        out = write_mask(out, plays.led[relative])
    for relative in range(1, 3):
        out = write_mask(out, plays.sloughed[relative])
    for relative in range(1, 3):
        out = write_bits(out, voids(s, (seat + relative) % 3), GROUPS)
    return out


cdef uint32_t bid_types(const SkatData* s, int seat) noexcept nogil:
    """Bits for those of D, H, S, C, grand, null that can be worth a seat's highest bid."""
    return BID_TYPES[s.bids[seat]]


cdef float* write_bid_types(float* out, const SkatData* s, int seat) noexcept nogil:
    """The feature BID_TYPE."""
    cdef int relative
    for relative in range(1, 3):
        out = write_bits(out, bid_types(s, (seat + relative) % 3), 6)
    return out


cdef int plain_value(const SkatData* s, int seat) noexcept nogil:
    """The value of a suit or grand game without schneider, as the soloist knows it.

    In a hand game, its ten cards determine the matadors, as it does not know the skat.
    """
    cdef uint32_t known = s.dealt[seat]
    if s.picked_up:
        known |= s.dealt[SKAT]
    return (1 + abs(_rules.matadors(known, s.contract)) + s.hand_game) * BASE_VALUES[s.contract]


cdef bint needs_schneider(const SkatData* s, int seat) noexcept nogil:
    """Whether the soloist needs 90 points: schneider is announced, or the bid exceeds the value without it."""
    if s.contract == NULL_CONTRACT:
        return False
    return s.announcement or plain_value(s, seat) < BID_VALUES[s.bid]


cdef int best_on_table(const SkatData* s) noexcept nogil:
    """The place in the trick of the best card on the table; -1 if there is none."""
    cdef int on_table = s.plays % 3
    cdef const unsigned char* cards = &s.history[s.length - on_table]
    if on_table < 2:
        return on_table - 1
    if TABLES.follow[s.contract][cards[0]] >> cards[1] & 1:
        return TABLES.strength[s.contract][cards[1]] > TABLES.strength[s.contract][cards[0]]
    return TABLES.group[s.contract][cards[1]] == TRUMP_GROUP


cdef bint partner_wins(const SkatData* s, int seat) noexcept nogil:
    """Whether the best card on the table is that of a defender's partner."""
    cdef int place = best_on_table(s), winner
    if place < 0:
        return False
    winner = (s.leaders[s.plays // 3] + place) % 3
    return winner != seat and winner != s.soloist


cdef uint32_t trumps(int contract) noexcept nogil:
    return JACKS | (<uint32_t>0xFF << 8 * contract if contract < GRAND_CONTRACT else 0)


cdef inline float* write_common(float* out, const SkatData* s, int seat, const Plays* plays) noexcept nogil:
    """The features COMMON."""
    out = write_mask(out, s.hands[seat])
    out = write_number(out, _rules.points_of(s.hands[seat]) / MAX_HAND_POINTS)
    out = write_plays(out, s, seat, plays)
    out = write_mask(out, plays.trick)
    out = write_number(out, _rules.points_of(plays.trick) / MAX_TRICK_POINTS)
    out = write_bid_types(out, s, seat)
    out = write_number(out, s.points[0] / ALL_POINTS)
    out = write_number(out, s.points[1] / ALL_POINTS)
    out = write_number(out, s.hand_game)
    out = write_number(out, s.announcement == 3)
    out = write_number(out, s.announcement >= 1 and s.contract != NULL_CONTRACT)
    return write_number(out, s.announcement >= 2 and s.contract != NULL_CONTRACT)


cdef inline void write_trumps(float* out, const SkatData* s, uint32_t seen) noexcept nogil:
    """The features TRUMPS and, in a suit game, SUIT."""
    out = write_mask(out, trumps(s.contract) & ~seen)
    if s.contract < GRAND_CONTRACT:
        write_one_hot(out, s.contract, 4)


cdef void write_soloist(const void* data, int seat, float* out) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    cdef uint32_t skat = s.hands[SKAT] if s.picked_up else 0
    cdef Plays plays
    collect(s, seat, &plays)
    out = write_common(out, s, seat, &plays)
    out = write_mask(out, skat)
    out = write_number(out, needs_schneider(s, seat))
    if s.contract != NULL_CONTRACT:
        write_trumps(out, s, s.hands[seat] | skat | plays.played[0] | plays.played[1] | plays.played[2])


cdef void write_defender(const void* data, int seat, float* out) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    cdef uint32_t opened = s.hands[s.soloist] if s.announcement == 3 else 0
    cdef Plays plays
    collect(s, seat, &plays)
    out = write_common(out, s, seat, &plays)
    out = write_number(out, partner_wins(s, seat))
    out = write_one_hot(out, (s.soloist + 2 - seat) % 3, 2)
    out = write_mask(out, opened)
    if s.contract != NULL_CONTRACT:
        write_trumps(out, s, s.hands[seat] | opened | plays.played[0] | plays.played[1] | plays.played[2])


cdef bint reads_suit_soloist(const void* data, int seat) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    return s.phase == PLAY and s.contract < GRAND_CONTRACT and seat == s.soloist


cdef bint reads_suit_defender(const void* data, int seat) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    return s.phase == PLAY and s.contract < GRAND_CONTRACT and seat != s.soloist


cdef bint reads_grand_soloist(const void* data, int seat) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    return s.phase == PLAY and s.contract == GRAND_CONTRACT and seat == s.soloist


cdef bint reads_grand_defender(const void* data, int seat) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    return s.phase == PLAY and s.contract == GRAND_CONTRACT and seat != s.soloist


cdef bint reads_null_soloist(const void* data, int seat) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    return s.phase == PLAY and s.contract == NULL_CONTRACT and seat == s.soloist


cdef bint reads_null_defender(const void* data, int seat) noexcept nogil:
    cdef const SkatData* s = <const SkatData*>data
    return s.phase == PLAY and s.contract == NULL_CONTRACT and seat != s.soloist


SUIT_SOLOIST = make_encoder(
    "skat.suit_soloist", 1, (*COMMON, *SOLOIST, *TRUMPS, *SUIT), "the soloist's cardplay in suit games of Skat",
    SkatPosition, write_soloist, reads_suit_soloist,
)
SUIT_DEFENDER = make_encoder(
    "skat.suit_defender", 1, (*COMMON, *DEFENDER, *TRUMPS, *SUIT), "the defenders' cardplay in suit games of Skat",
    SkatPosition, write_defender, reads_suit_defender,
)
GRAND_SOLOIST = make_encoder(
    "skat.grand_soloist", 1, (*COMMON, *SOLOIST, *TRUMPS), "the soloist's cardplay in grand games of Skat",
    SkatPosition, write_soloist, reads_grand_soloist,
)
GRAND_DEFENDER = make_encoder(
    "skat.grand_defender", 1, (*COMMON, *DEFENDER, *TRUMPS), "the defenders' cardplay in grand games of Skat",
    SkatPosition, write_defender, reads_grand_defender,
)
NULL_SOLOIST = make_encoder(
    "skat.null_soloist", 1, (*COMMON, *SOLOIST), "the soloist's cardplay in null games of Skat",
    SkatPosition, write_soloist, reads_null_soloist,
)
NULL_DEFENDER = make_encoder(
    "skat.null_defender", 1, (*COMMON, *DEFENDER), "the defenders' cardplay in null games of Skat",
    SkatPosition, write_defender, reads_null_defender,
)
