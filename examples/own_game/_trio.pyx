"""Trio in C: three players with three cards each, the other 23 face up; forehand names trumps and wants two tricks.

The smallest game that has all that generic code asks for: a choice before the cardplay, suits to follow, a declarer
against two opponents, hidden cards, and an encoder for networks.
"""

cimport cython
from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from skat_env._encoder cimport make_encoder
from skat_env._feature_bits cimport write_mask, write_one_hot
from skat_env._feature_floats cimport write_mask as write_floats
from skat_env._position cimport Kernel, Position
from skat_env._random cimport random_bit, random_deal

from dataclasses import dataclass

from skat_env._position import StateMethods, ViewMethods
from skat_env.cards import card_text, parse_card, parse_mask
from skat_env.deal import Deal, require_deal
from skat_env.errors import ParseError
from skat_env.features import Feature, total_width
from skat_env.position_text import read_fields, split_position
from skat_env.protocols import Outcome

cdef enum:
    SEATS = 3
    CARDS = 3
    NOBODY = 255
    CHOICE = 0
    PLAY = 1
    OVER = 2
    NAME = 32           # actions: the 32 cards, then the four suits to name

cdef int[4] SIZES = [CARDS, CARDS, CARDS, 32 - SEATS * CARDS]
PLACE_SIZES = (CARDS, CARDS, CARDS, 32 - SEATS * CARDS)
SUITS = ("D", "H", "S", "C")
FEATURES = (
    Feature("hand", (32,), "own cards"),
    Feature("open", (32,), "cards face up"),
    Feature("trump", (4,), "trump suit"),
    Feature("to_act", (3,), "relative seat to act"),
    Feature("seat", (3,), "own seat"),
    Feature("played", (3, 32), "cards played, by relative seat"),
    Feature("trick", (3, 32), "cards on the table, by relative seat"),
    Feature("leads", (3, 3), "relative seat that led each trick"),
)
INPUTS = (Feature("hand", (32,), "own cards"), Feature("table", (32,), "cards on the table"),
          Feature("trumps", (32,), "cards of the trump suit"))
WIDTH = total_width(FEATURES)


ctypedef struct TrioData:
    uint32_t hands[4]       # cards held now, and those face up
    uint32_t dealt[4]
    uint8_t history[16]
    uint8_t leaders[4]
    uint8_t length
    uint8_t plays
    uint8_t phase
    uint8_t to_act
    uint8_t trump           # NOBODY: not named yet
    uint8_t viewer          # NOBODY in a state
    uint8_t tricks[3]
    uint8_t unused[3]

cdef Kernel TRIO_KERNEL


cdef int power(const TrioData* s, int card, int led) noexcept nogil:
    """What a card is worth in a trick."""
    if card >> 3 == s.trump:
        return 16 + (card & 7)
    return 8 + (card & 7) if card >> 3 == led >> 3 else 0


cdef uint64_t legal(const void* p) noexcept nogil:
    cdef const TrioData* s = <const TrioData*>p
    cdef uint32_t hand, same
    if s.phase == CHOICE:
        return <uint64_t>15 << NAME
    if s.phase == OVER:
        return 0
    hand = s.hands[s.to_act]
    if s.plays % SEATS == 0:
        return hand
    same = hand & (<uint32_t>0xFF << (s.history[s.length - s.plays % SEATS] >> 3 << 3))
    return same if same else hand


cdef int to_act(const void* p) noexcept nogil:
    cdef int seat = (<const TrioData*>p).to_act
    return -1 if seat == NOBODY else seat


cdef void push(void* p, int action) noexcept nogil:
    cdef TrioData* s = <TrioData*>p
    cdef int i, card, led, best
    s.history[s.length] = action
    s.length += 1
    if action >= NAME:
        s.trump = action - NAME
        s.phase = PLAY
        s.to_act = s.leaders[0] = 0
        return
    s.hands[s.to_act] &= ~(<uint32_t>1 << action)
    s.plays += 1
    if s.plays % SEATS:
        s.to_act = (s.to_act + 1) % SEATS
        return
    led = s.history[s.length - SEATS]
    best = 0
    for i in range(1, SEATS):
        card = s.history[s.length - SEATS + i]
        if power(s, card, led) > power(s, s.history[s.length - SEATS + best], led):
            best = i
    i = (s.leaders[s.plays // SEATS - 1] + best) % SEATS
    s.tricks[i] += 1
    if s.plays == SEATS * CARDS:
        s.phase = OVER
        s.to_act = NOBODY
    else:
        s.leaders[s.plays // SEATS] = s.to_act = i


cdef void pop(void* p) noexcept nogil:
    """Plays the game so far again, but for the last action."""
    cdef TrioData* s = <TrioData*>p
    cdef uint8_t[16] history
    cdef int i, length = s.length - 1, viewer = s.viewer
    for i in range(16):
        history[i] = s.history[i]
    # In a view the hands of the others are empty: only what is known goes back.
    for i in range(SEATS):
        s.hands[i] = s.dealt[i]
    memset(s.history, 0, sizeof(TrioData) - 8 * sizeof(uint32_t))
    s.trump = NOBODY
    s.viewer = viewer
    for i in range(length):
        push(s, history[i])


cdef int rollout(void* p, uint64_t* stream) noexcept nogil:
    cdef int actions = 0
    while legal(p):
        push(p, random_bit(stream, legal(p)))
        actions += 1
    return actions


cdef void settle(const void* p, int claim, int unit, int32_t* out) noexcept nogil:
    """Tricks of the declarer less those of the others, to it; the negative to each of the others."""
    cdef const TrioData* s = <const TrioData*>p
    cdef int left = CARDS - s.tricks[0] - s.tricks[1] - s.tricks[2]
    cdef int worth = s.tricks[0] - s.tricks[1] - s.tricks[2] + (left if claim else -left)
    out[0], out[1], out[2] = worth, -worth, -worth


cdef void returns(const void* p, int unit, int32_t* out) noexcept nogil:
    out[0] = out[1] = out[2] = 0
    if (<const TrioData*>p).phase == OVER:
        settle(p, 0, unit, out)


cdef void observe(const void* p, int seat, int8_t* out) noexcept nogil:
    cdef const TrioData* s = <const TrioData*>p
    cdef uint32_t played[3]
    cdef uint32_t trick[3]
    cdef int i, actor
    for i in range(3):
        played[i] = trick[i] = 0
    for i in range(s.plays):
        actor = (s.leaders[i // SEATS] + i - seat) % SEATS
        actor = (actor + SEATS) % SEATS
        played[actor] |= <uint32_t>1 << s.history[s.length - s.plays + i]
        if i >= s.plays // SEATS * SEATS:
            trick[actor] |= <uint32_t>1 << s.history[s.length - s.plays + i]
    out = write_mask(out, s.hands[seat])
    out = write_mask(out, s.hands[3])
    out = write_one_hot(out, -1 if s.trump == NOBODY else s.trump, 4)
    out = write_one_hot(out, -1 if s.to_act == NOBODY else (s.to_act + SEATS - seat) % SEATS, SEATS)
    out = write_one_hot(out, seat, SEATS)
    for i in range(3):
        out = write_mask(out, played[i])
    for i in range(3):
        out = write_mask(out, trick[i])
    for i in range(3):
        actor = (s.leaders[i] + SEATS - seat) % SEATS if i * SEATS < s.plays or (i == 0 and s.phase == PLAY) else -1
        out = write_one_hot(out, actor, SEATS)


cdef void start(TrioData* s, const uint32_t* places) noexcept nogil:
    cdef int place
    memset(s, 0, sizeof(TrioData))
    for place in range(4):
        s.hands[place] = s.dealt[place] = places[place]
    s.trump = NOBODY
    s.viewer = NOBODY


cdef void deal(void* p, uint64_t* stream) noexcept nogil:
    cdef uint32_t places[4]
    random_deal(stream, SIZES, 4, places)
    start(<TrioData*>p, places)


cdef const uint8_t* history(const void* p, int* length) noexcept nogil:
    length[0] = (<const TrioData*>p).length
    return (<const TrioData*>p).history


cdef const uint8_t* leaders(const void* p) noexcept nogil:
    return (<const TrioData*>p).leaders


cdef int plays(const void* p) noexcept nogil:
    return (<const TrioData*>p).plays


cdef void slots(const void* p, int8_t* out) noexcept nogil:
    cdef const TrioData* s = <const TrioData*>p
    cdef int i
    for i in range(SEATS):
        out[i] = 0 if i == s.viewer else CARDS
    out[3] = 0
    for i in range(s.plays):
        if (s.leaders[i // SEATS] + i) % SEATS != s.viewer:
            out[(s.leaders[i // SEATS] + i) % SEATS] -= 1


cdef void complete(void* p, const uint32_t* unknown, uint64_t* stream) noexcept nogil:
    cdef TrioData* s = <TrioData*>p
    cdef int i
    for i in range(SEATS):
        if i != s.viewer:
            s.hands[i] = s.dealt[i] = unknown[i]
    for i in range(s.plays):
        if (s.leaders[i // SEATS] + i) % SEATS != s.viewer:
            s.dealt[(s.leaders[i // SEATS] + i) % SEATS] |= <uint32_t>1 << s.history[s.length - s.plays + i]
    s.viewer = NOBODY


cdef void hide(void* p, int seat) noexcept nogil:
    cdef TrioData* s = <TrioData*>p
    cdef int i
    for i in range(SEATS):
        if i != seat:
            s.hands[i] = s.dealt[i] = 0
    s.viewer = seat


cdef int viewer(const void* p) noexcept nogil:
    cdef int seat = (<const TrioData*>p).viewer
    return -1 if seat == NOBODY else seat


cdef int phase(const void* p) noexcept nogil:
    return (<const TrioData*>p).phase


cdef int declarer(const void* p) noexcept nogil:
    return -1 if (<const TrioData*>p).trump == NOBODY else 0


cdef int contract(const void* p) noexcept nogil:
    cdef int trump = (<const TrioData*>p).trump
    return -1 if trump == NOBODY else trump


TRIO_KERNEL = Kernel(
    size=sizeof(TrioData), seats=SEATS, places=4, actions=36, features=WIDTH, units=1, max_actions=10, legal=legal,
    to_act=to_act, push=push, rollout=rollout, pop=pop, returns=returns, observe=observe, deal=deal, history=history,
    leaders=leaders, plays=plays, slots=slots, complete=complete, settle=settle, hide=hide, viewer=viewer, phase=phase,
    declarer=declarer, contract=contract,
)


@dataclass(frozen=True)
class TrioResult:
    declarer: int
    tricks: int
    won: bool


def action_text(action):
    return card_text(action) if action < NAME else SUITS[action - NAME]


def parse_action(text):
    return NAME + SUITS.index(text) if text in SUITS else parse_card(text)


cdef class TrioPosition(Position):
    action_text = staticmethod(action_text)
    reward_units = ("tricks",)
    cdef TrioData d

    def __cinit__(self, *args, **kwargs):
        self.kernel = &TRIO_KERNEL
        self.data = &self.d

    @property
    def stage(self):
        return "choice" if self.d.phase == CHOICE else "cardplay"

    @property
    def kind(self):
        return None if self.d.phase == CHOICE else "trumps"

    def side(self, int seat):
        return -1 if self.d.trump == NOBODY else int(seat != 0)

    def head(self):
        return "" if self.d.viewer == NOBODY else f"seat={self.d.viewer}"


@cython.final
cdef class TrioState(TrioPosition, StateMethods):
    cdef type counterpart(self):
        return TrioView

    @staticmethod
    def new(deal, rules=None):
        cdef TrioState state = TrioState.__new__(TrioState)
        cdef uint32_t places[4]
        require_deal(deal, PLACE_SIZES)
        for i, mask in enumerate(deal.places):
            places[i] = mask
        start(&state.d, places)
        return state

    @staticmethod
    def random(rng, rules=None, deal=None):
        return TrioState.new(Deal.random(rng, PLACE_SIZES) if deal is None else deal)

    def result(self, claim=None):
        if self.d.phase != OVER and (claim is None or self.d.phase != PLAY):
            raise ValueError("the game has no result yet")
        value = self.returns(claim=claim)[0]
        return TrioResult(0, (value + CARDS) // 2, value > 0)

    def outcome(self):
        return Outcome(0, "trumps", self.returns()[0] > 0) if self.d.phase == OVER else None

    @staticmethod
    def parse(text):
        places, words, actions = split_position(text)
        read_fields(words, ())
        cdef TrioState state = TrioState.new(Deal.parse(places, PLACE_SIZES))
        for action in actions:
            state.apply_checked(parse_action(action))
        return state


@cython.final
cdef class TrioView(TrioPosition, ViewMethods):
    cdef type counterpart(self):
        return TrioState

    @staticmethod
    def parse(text):
        cdef TrioView view = TrioView.__new__(TrioView)
        cdef uint32_t places[4]
        cdef uint32_t seen
        cdef int seat
        deal, head, actions = split_position(text)
        named = read_fields(head, ("seat",)).get("seat")
        if named not in ("0", "1", "2"):
            raise ParseError("a view names its seat once, as in seat=1")
        seat = int(named)
        masks = [0 if word == "?" else parse_mask(word) for word in deal.split("/")]
        sizes = [size if place in (seat, SEATS) else 0 for place, size in enumerate(PLACE_SIZES)]
        if [mask.bit_count() for mask in masks] != sizes or masks[seat] & masks[SEATS]:
            raise ParseError(f"the view of seat {seat} shows its own cards, those face up and two '?', joined by '/'")
        places = masks
        start(&view.d, places)
        seen = places[seat] | places[SEATS]
        for number, word in enumerate(actions, start=1):
            action = parse_action(word)
            if view.d.phase == PLAY and view.d.to_act != seat and action < NAME:
                possible = not seen >> action & 1
                seen |= <uint32_t>1 << action
            else:
                possible = legal(&view.d) >> action & 1
            if not possible:
                raise ParseError(f"action {number} of the view, {word}, is not possible there")
            push(&view.d, action)
        view.d.viewer = seat
        return view


cdef void write_inputs(const void* p, int seat, float* out) noexcept nogil:
    cdef const TrioData* s = <const TrioData*>p
    cdef uint32_t table = 0
    cdef int i
    for i in range(s.plays // SEATS * SEATS, s.plays):
        table |= <uint32_t>1 << s.history[s.length - s.plays + i]
    out = write_floats(out, s.hands[seat])
    out = write_floats(out, table)
    out = write_floats(out, <uint32_t>0xFF << (8 * s.trump))


cdef bint reads(const void* p, int seat) noexcept nogil:
    return (<const TrioData*>p).phase == PLAY


ENCODERS = (make_encoder("trio.cardplay", 1, INPUTS, "the cardplay", TrioPosition, write_inputs, reads),)
