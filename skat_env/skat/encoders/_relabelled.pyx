"""Encodings of the cardplay for self-play: suits relabelled, the same layout for every kind of game.

The trump suit comes first. The plain suits follow in an order determined by the cards that the seat was dealt in them,
so that hands that differ only in their suits look the same: up to 24 positions become one. Jacks keep their numbers if
they are trumps.
"""

from libc.stdint cimport uint8_t, uint32_t

from skat_env._encoder cimport make_encoder
from skat_env._feature_floats cimport write_bits, write_mask, write_number, write_one_hot
from skat_env._bits cimport popcount, trailing_zeros
from skat_env.skat cimport _rules
from skat_env.skat.encoders._cardplay cimport (
    Plays, best_on_table, bid_types, collect, needs_schneider, partner_wins, plain_value, voids,
)
from skat_env.skat._rules cimport (
    CONTRACTS, GROUPS, NULL_CONTRACT, PLAY, SKAT, TRUMP_GROUP, CardTables, SkatData,
)

from skat_env.features import Feature
from skat_env.skat import rules
from skat_env.skat._state import SkatPosition

cdef enum:
    JACKS = 0x10101010
    COUNTS = 12         # numbers of cards in a group, 0 to 11
    SOLOIST_GOAL = 61   # card points
    SCHNEIDER = 90
    ALL_POINTS = 120
    MAX_POINTS = 11     # of a card

cdef float HUNDRED = 100.0
cdef int[64] BID_VALUES = (0, *rules.BID_VALUES)    # by level
cdef const CardTables* TABLES = _rules.tables()
cdef int SOLOIST_WIDTH, DEFENDER_WIDTH      # of the encodings without TACTICS, which are written first
cdef uint32_t BEATERS[CONTRACTS][32]        # by contract and card, the cards of its group that beat it
cdef uint32_t GROUP_MASKS[CONTRACTS][GROUPS]        # the cards of a group
cdef uint32_t WORTH[MAX_POINTS + 1]         # the cards of so many points or more

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
TACTICS = (
    Feature("standing", (32,), "own cards that no unseen card of their group beats; in null games, that beat none"),
    Feature("takes", (32,), "own cards that may be played and beat those on the table"),
    Feature("excluded", (2, 32), "of relative seats 1 and 2: unseen cards that it cannot hold, as it failed to follow"),
    Feature("own_count", (5, 12), "how many own cards are of each plain suit, and trumps"),
    Feature("unseen_count", (5, 12), "how many unseen cards are"),
    Feature("reaches", (32,), "own cards whose points, with those on the table, bring the own side to its goal"),
    Feature("concedes", (32,), "own cards whose points, with those on the table, bring the other side to its goal"),
)


cdef void build_tables():
    """Fills the tables from the rules'."""
    cdef int contract, card, other, points
    for contract in range(CONTRACTS):
        for card in range(32):
            GROUP_MASKS[contract][TABLES.group[contract][card]] |= <uint32_t>1 << card
            for other in range(32):
                if TABLES.follow[contract][card] >> other & 1:
                    if TABLES.strength[contract][other] > TABLES.strength[contract][card]:
                        BEATERS[contract][card] |= <uint32_t>1 << other
    for points in range(MAX_POINTS + 1):
        for card in range(32):
            if TABLES.points[card] >= points:
                WORTH[points] |= <uint32_t>1 << card


build_tables()


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


cdef inline uint32_t beating(const SkatData* s, int card) noexcept nogil:
    """The cards that take a trick from a card which is the best on the table."""
    cdef uint32_t cards = BEATERS[s.contract][card]
    if TABLES.group[s.contract][card] != TRUMP_GROUP:
        cards |= GROUP_MASKS[s.contract][TRUMP_GROUP]
    return cards


cdef inline uint32_t taking(const SkatData* s, uint32_t hand) noexcept nogil:
    """The cards of a hand that may be played to the trick on the table, if there is one, and take it."""
    cdef const unsigned char* cards = &s.history[s.length - s.plays % 3]
    cdef int best = best_on_table(s)
    cdef uint32_t follow
    if best < 0:
        return 0
    follow = hand & TABLES.follow[s.contract][cards[0]]
    return beating(s, cards[best]) & (follow if follow else hand)


cdef inline uint32_t worth(uint32_t hand, int points) noexcept nogil:
    """The cards of a hand that have so many points or more."""
    return 0 if points > MAX_POINTS else hand & WORTH[max(points, 0)]


cdef inline float* write_counts(float* out, const SkatData* s, uint32_t cards, const Labels* labels) noexcept nogil:
    """How many of the cards are of each plain suit, in the order of the labels, and how many are trumps."""
    cdef int place
    for place in range(4):
        out = write_one_hot(out, popcount(cards & GROUP_MASKS[s.contract][labels.suits[place]]), COUNTS)
    return write_one_hot(out, popcount(cards & GROUP_MASKS[s.contract][TRUMP_GROUP]), COUNTS)


cdef void write_tactics(
    float* out, const SkatData* s, int seat, const Plays* plays, uint32_t seen, const Labels* labels
) noexcept nogil:
    """The features TACTICS; `seen` as in `write_common`."""
    cdef uint32_t played = plays.played[0] | plays.played[1] | plays.played[2]
    cdef uint32_t hand = s.hands[seat]
    cdef uint32_t unseen = ~(hand | seen | played)
    cdef uint32_t left = hand, standing = 0, rivals, excluded
    cdef int relative, group, card, goal, table_points
    cdef int[2] lacks           # card points that the own side and the other one lack
    while left:
        card = trailing_zeros(left)
        left &= left - 1
        if s.contract == NULL_CONTRACT:
            rivals = TABLES.follow[s.contract][card] & ~(BEATERS[s.contract][card] | <uint32_t>1 << card)
        else:
            rivals = BEATERS[s.contract][card]
        if not unseen & rivals:
            standing |= <uint32_t>1 << card
    out = write_mask(out, moved(standing, labels))
    out = write_mask(out, moved(taking(s, hand), labels))
    for relative in range(1, 3):
        excluded = 0
        for group in range(GROUPS):
            if s.void_since[(seat + relative) % 3][group]:
                excluded |= GROUP_MASKS[s.contract][group]
        out = write_mask(out, moved(excluded & unseen, labels))
    out = write_counts(out, s, hand, labels)
    out = write_counts(out, s, unseen, labels)
    if s.contract == NULL_CONTRACT:
        out = write_mask(out, 0)
        write_mask(out, 0)
        return
    table_points = _rules.points_of(plays.trick)
    if seat == s.soloist:
        goal = SCHNEIDER if needs_schneider(s, seat) else SOLOIST_GOAL
        lacks[0] = goal - s.points[0] - (_rules.points_of(s.hands[SKAT]) if s.picked_up else 0)
        lacks[1] = ALL_POINTS + 1 - goal - s.points[1]
    else:
        goal = SCHNEIDER if s.announcement else SOLOIST_GOAL
        lacks[0] = ALL_POINTS + 1 - goal - s.points[1]
        lacks[1] = goal - s.points[0]
    out = write_mask(out, moved(worth(hand, lacks[0] - table_points), labels))
    write_mask(out, moved(worth(hand, lacks[1] - table_points), labels))


cdef inline uint32_t soloist_row(float* out, const SkatData* s, int seat, Plays* plays, Labels* labels) noexcept nogil:
    """Writes the features COMMON and SOLOIST; returns the cards of the skat, if they are known."""
    cdef uint32_t skat = s.hands[SKAT] if s.picked_up else 0
    collect(s, seat, plays)
    labels[0] = relabelling(s, s.hands[seat] | plays.played[0], skat)
    out = write_common(out, s, seat, plays, skat, labels)
    out = write_mask(out, moved(skat, labels))
    out = write_number(out, needs_schneider(s, seat))
    write_number(out, 0 if s.contract == NULL_CONTRACT else plain_value(s, seat) / HUNDRED)
    return skat


cdef inline uint32_t defender_row(float* out, const SkatData* s, int seat, Plays* plays, Labels* labels) noexcept nogil:
    """Writes the features COMMON and DEFENDER; returns the cards of an open hand."""
    cdef uint32_t opened = s.hands[s.soloist] if s.announcement == 3 else 0
    collect(s, seat, plays)
    labels[0] = relabelling(s, s.hands[seat] | plays.played[0], 0)
    out = write_common(out, s, seat, plays, opened, labels)
    out = write_one_hot(out, (s.soloist - seat + 2) % 3, 2)
    out = write_number(out, partner_wins(s, seat))
    write_mask(out, moved(opened, labels))
    return opened


cdef void write_soloist(const void* data, int seat, float* out) noexcept nogil:
    cdef Labels labels
    cdef Plays plays
    soloist_row(out, <const SkatData*>data, seat, &plays, &labels)


cdef void write_defender(const void* data, int seat, float* out) noexcept nogil:
    cdef Labels labels
    cdef Plays plays
    defender_row(out, <const SkatData*>data, seat, &plays, &labels)


cdef void write_tactical_soloist(const void* data, int seat, float* out) noexcept nogil:
    cdef Labels labels
    cdef Plays plays
    cdef uint32_t seen = soloist_row(out, <const SkatData*>data, seat, &plays, &labels)
    write_tactics(out + SOLOIST_WIDTH, <const SkatData*>data, seat, &plays, seen, &labels)


cdef void write_tactical_defender(const void* data, int seat, float* out) noexcept nogil:
    cdef Labels labels
    cdef Plays plays
    cdef uint32_t seen = defender_row(out, <const SkatData*>data, seat, &plays, &labels)
    write_tactics(out + DEFENDER_WIDTH, <const SkatData*>data, seat, &plays, seen, &labels)


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
SOLOIST_WIDTH, DEFENDER_WIDTH = RELABELLED_SOLOIST.width, RELABELLED_DEFENDER.width
TACTICAL_SOLOIST = make_encoder(
    "skat.tactical_soloist", 1, (*COMMON, *SOLOIST, *TACTICS), "the soloist's cardplay in Skat", SkatPosition,
    write_tactical_soloist, reads_soloist, label,
)
TACTICAL_DEFENDER = make_encoder(
    "skat.tactical_defender", 1, (*COMMON, *DEFENDER, *TACTICS), "the defenders' cardplay in Skat", SkatPosition,
    write_tactical_defender, reads_defender, label,
)
