"""KlaverjasState, a whole deal, and KlaverjasView, the information set of a seat."""

cimport cython
from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t, uint64_t

from typing import get_args

from skat_env._position cimport Kernel, Position, claim_of, index_of, require_rules
from skat_env._random cimport random_below, random_deal
from skat_env.klaverjas cimport _observation, _rules
from skat_env.klaverjas._rules cimport (
    ACTIONS, GIVEN, MAX_ACTIONS, NOBODY, OVER, PLAY, SEATS, UNDECIDED, DealScore, KlaverjasData, Options,
)

from skat_env._position import StateMethods, ViewMethods
from skat_env.cards import SUITS, parse_mask
from skat_env.deal import Deal, require_deal
from skat_env.errors import ParseError
from skat_env.klaverjas.observation import WIDTH
from skat_env.klaverjas.rules import (
    OPTIONS, PLACE_SIZES, KlaverjasRules, Phase, action_text, parse_action,
)
from skat_env.klaverjas.scoring import REWARD_UNITS, DealResult
from skat_env.options import shown
from skat_env.position_text import read_fields, split_position
from skat_env.protocols import Outcome

cdef Kernel KLAVERJAS_KERNEL
cdef dict KNOWN_RULES = {}      # the rules by their indices: they are asked for often, and slow to make
cdef int[4] SIZES = [8, 8, 8, 8]
FIELDS = ("forehand", "declarer", "trump", *OPTIONS)


cdef uint64_t kernel_legal(const void* s) noexcept nogil:
    return _rules.legal(<const KlaverjasData*>s)


cdef int kernel_to_act(const void* s) noexcept nogil:
    cdef int seat = (<const KlaverjasData*>s).to_act
    return -1 if seat == NOBODY else seat


cdef void kernel_push(void* s, int action) noexcept nogil:
    _rules.push(<KlaverjasData*>s, action)


cdef int kernel_rollout(void* s, uint64_t* stream) noexcept nogil:
    return _rules.rollout(<KlaverjasData*>s, stream)


cdef void kernel_pop(void* s) noexcept nogil:
    _rules.pop(<KlaverjasData*>s)


cdef void kernel_settle(const void* s, int claim, int unit, int32_t* out) noexcept nogil:
    cdef DealScore r
    _rules.score(<const KlaverjasData*>s, claim, &r)
    _rules.units(&r, unit, out)


cdef void kernel_returns(const void* s, int unit, int32_t* out) noexcept nogil:
    if (<const KlaverjasData*>s).phase == OVER:
        kernel_settle(s, 0, unit, out)
    else:
        out[0] = out[1] = out[2] = out[3] = 0


cdef void kernel_observe(const void* s, int seat, int8_t* out) noexcept nogil:
    _observation.observe(<const KlaverjasData*>s, seat, out)


cdef void kernel_deal(void* s, uint64_t* stream) noexcept nogil:
    cdef uint32_t places[4]
    random_deal(stream, SIZES, 4, places)
    _rules.start_deal(<KlaverjasData*>s, places, 0, &(<KlaverjasData*>s).options)
    if (<KlaverjasData*>s).options.choice == GIVEN:
        _rules.give_trumps(<KlaverjasData*>s, random_below(stream, SEATS), random_below(stream, 4))


cdef const uint8_t* kernel_history(const void* s, int* length) noexcept nogil:
    length[0] = (<const KlaverjasData*>s).length
    return (<const KlaverjasData*>s).history


cdef const uint8_t* kernel_leaders(const void* s) noexcept nogil:
    return (<const KlaverjasData*>s).leaders


cdef void kernel_hide(void* s, int viewer) noexcept nogil:
    _rules.hide(<KlaverjasData*>s, viewer)


cdef int kernel_viewer(const void* s) noexcept nogil:
    cdef int seat = (<const KlaverjasData*>s).viewer
    return -1 if seat == NOBODY else seat


cdef int kernel_plays(const void* s) noexcept nogil:
    return (<const KlaverjasData*>s).plays


cdef void kernel_slots(const void* s, int8_t* out) noexcept nogil:
    _rules.slots(<const KlaverjasData*>s, out)


cdef void kernel_complete(void* s, const uint32_t* unknown, uint64_t* stream) noexcept nogil:
    _rules.complete(<KlaverjasData*>s, unknown)


cdef int kernel_phase(const void* s) noexcept nogil:
    return (<const KlaverjasData*>s).phase


cdef int kernel_declarer(const void* s) noexcept nogil:
    cdef int seat = (<const KlaverjasData*>s).declarer
    return -1 if seat == NOBODY else seat


cdef int kernel_contract(const void* s) noexcept nogil:
    cdef int trump = (<const KlaverjasData*>s).trump
    return -1 if trump == UNDECIDED else trump


KLAVERJAS_KERNEL = Kernel(
    size=sizeof(KlaverjasData), seats=SEATS, places=4, actions=ACTIONS, features=WIDTH, units=len(REWARD_UNITS),
    max_actions=MAX_ACTIONS, legal=kernel_legal, to_act=kernel_to_act, push=kernel_push, rollout=kernel_rollout,
    pop=kernel_pop,
    returns=kernel_returns, observe=kernel_observe, deal=kernel_deal, history=kernel_history, leaders=kernel_leaders,
    hide=kernel_hide, viewer=kernel_viewer,
    settle=kernel_settle, plays=kernel_plays, slots=kernel_slots, complete=kernel_complete, phase=kernel_phase,
    declarer=kernel_declarer, contract=kernel_contract,
)


cdef Options options_of(object rules) except *:
    """The rules as indices into the lists of option values."""
    require_rules(rules, KlaverjasRules)
    cdef uint8_t[5] indices
    cdef Options options
    for i, (name, kind) in enumerate(OPTIONS.items()):
        indices[i] = get_args(kind).index(getattr(rules, name))
    options.amsterdam, options.choice, options.tie_made = indices[0], indices[1], indices[2]
    options.cheap_jacks, options.pit_for_both = indices[3], indices[4]
    return options


cdef object rules_of(const Options* o):
    """The rules from indices into the lists of option values."""
    indices = (o.amsterdam, o.choice, o.tie_made, o.cheap_jacks, o.pit_for_both)
    rules = KNOWN_RULES.get(indices)
    if rules is None:
        rules = KlaverjasRules(**{name: get_args(kind)[i] for i, (name, kind) in zip(indices, OPTIONS.items())})
        KNOWN_RULES[indices] = rules
    return rules


cdef int set_up(
    KlaverjasData* d, object places, object rules, object forehand, object declarer, object trump
) except -1:
    """Sets up the position in which a deal begins."""
    cdef uint32_t masks[4]
    cdef Options options = options_of(rules)
    cdef int seat
    for seat in range(SEATS):
        masks[seat] = places[seat]
    if index_of(forehand, SEATS) < 0:
        raise ParseError(f"forehand {shown(forehand)} is not a seat: expected 0, 1, 2 or 3")
    _rules.start_deal(d, masks, forehand, &options)
    if options.choice != GIVEN:
        if declarer is not None or trump is not None:
            raise ParseError(f"with choice={rules.choice} trumps are chosen in the game: the deal cannot give them")
        return 0
    if declarer is None or trump is None:
        raise ParseError("with choice=given the deal comes with a declarer and trumps, as in declarer=1 trump=H")
    if index_of(declarer, SEATS) < 0 or index_of(trump, 4) < 0:
        raise ParseError(f"declarer {shown(declarer)} or trump {shown(trump)} is not one of 0..3")
    _rules.give_trumps(d, declarer, trump)
    return 0


cdef int read_head(KlaverjasData* d, object fields, object places) except -1:
    """Sets up the position described by the fields of a text."""
    options = {}
    for name, kind in OPTIONS.items():
        if name in fields:
            values = {str(value): value for value in get_args(kind)}
            if fields[name] not in values:
                raise ParseError(f"'{name}={fields[name]}': expected one of {', '.join(values)}")
            options[name] = values[fields[name]]
    seats = {}
    for name in ("forehand", "declarer"):
        if name in fields:
            if fields[name] not in ("0", "1", "2", "3"):
                raise ParseError(f"'{name}={fields[name]}' is not a seat: expected 0, 1, 2 or 3")
            seats[name] = int(fields[name])
    trump = fields.get("trump")
    if trump is not None and (len(trump) != 1 or trump not in SUITS):
        raise ParseError(f"'trump={trump}' is not a suit: expected one of D, H, S, C")
    set_up(
        d, places, KlaverjasRules(**options), seats.get("forehand", 0), seats.get("declarer"),
        None if trump is None else SUITS.index(trump),
    )
    return 0


cdef class KlaverjasPosition(Position):
    """What a state and a view have in common; in a view, the hands of the other seats are empty."""

    action_text = staticmethod(action_text)
    reward_units = REWARD_UNITS

    def __cinit__(self, *args, **kwargs):
        self.kernel = &KLAVERJAS_KERNEL
        self.data = &self.d

    @property
    def phase(self):
        return Phase(self.d.phase)

    @property
    def stage(self):
        return "cardplay" if self.d.phase else "choice"

    @property
    def kind(self):
        return "deal" if self.d.phase else None

    @property
    def rules(self):
        return rules_of(&self.d.options)

    @property
    def hands(self):
        return (self.d.hands[0], self.d.hands[1], self.d.hands[2], self.d.hands[3])

    @property
    def forehand(self):
        return self.d.forehand

    @property
    def trump(self):
        return None if self.d.trump == UNDECIDED else self.d.trump

    @property
    def tricks(self):
        return (self.d.tricks[0], self.d.tricks[1])

    @property
    def points(self):
        return (self.d.points[0], self.d.points[1])

    @property
    def roem(self):
        return (self.d.roem[0], self.d.roem[1])

    @property
    def leader(self):
        return self.d.leaders[self.d.plays >> 2] if self.d.phase == PLAY else -1

    def side(self, seat):
        """The side of a seat: 0 the declaring team, 1 the other; -1 before there is a declarer."""
        cdef int number = self.seat_of(seat)
        if self.d.declarer == NOBODY:
            return -1
        return (number ^ self.d.declarer) & 1

    def winning(self):
        """The seat that is winning the trick on the table; -1 if there is none."""
        if self.d.phase != PLAY or self.d.plays & 3 == 0:
            return -1
        return (self.d.leaders[self.d.plays >> 2] + self.d.best) & 3

    def excluded(self, seat):
        """The cards, as a mask, that a seat cannot hold because they would have made one of its plays illegal."""
        cdef uint32_t out[4]
        cdef int number = self.seat_of(seat)
        _rules.excluded(&self.d, out)
        return out[number]

    def head(self):
        """The part of `text` between deal and actions: `key=value ...`; empty for a fresh deal with forehand 0."""
        words = []
        if self.d.viewer != NOBODY:
            words.append(f"seat={self.d.viewer}")
        if self.d.forehand:
            words.append(f"forehand={self.d.forehand}")
        if self.d.options.choice == GIVEN:
            words.append(f"declarer={self.d.declarer} trump={SUITS[self.d.trump]}")
        words.append(self.rules.text())
        return " ".join(filter(None, words))


@cython.final
cdef class KlaverjasState(KlaverjasPosition, StateMethods):
    """A whole deal of Klaverjas with all cards and actions; mutable. Agents see `view(seat)` only."""

    cdef type counterpart(self):
        return KlaverjasView

    @staticmethod
    def new(deal, rules=KlaverjasRules(), forehand=0, declarer=None, trump=None):
        """The state after the deal; `declarer` and `trump` are needed if `rules.choice` is `given`, else not allowed.

        Raises:
            ParseError: if the deal, the declarer or the trump suit is invalid, missing or not allowed.
        """
        cdef KlaverjasState state = KlaverjasState.__new__(KlaverjasState)
        require_deal(deal, PLACE_SIZES)
        set_up(&state.d, deal.places, rules, forehand, declarer, trump)
        return state

    @staticmethod
    def random(rng, rules=KlaverjasRules(), deal=None):
        """A fresh deal: its cards are drawn unless given, and so are declarer and trumps if they come with the deal."""
        require_rules(rules, KlaverjasRules)
        deal = Deal.random(rng, PLACE_SIZES) if deal is None else deal
        if rules.choice != "given":
            return KlaverjasState.new(deal, rules)
        return KlaverjasState.new(deal, rules, 0, int(rng.integers(SEATS)), int(rng.integers(4)))

    def result(self, claim=None):
        """The `DealResult` of a finished deal.

        `claim` gives the points of the remaining tricks to the declaring team (True) or to the other (False).

        Raises:
            ValueError: if the deal is not over and no claim is given, or nobody has chosen trumps.
        """
        cdef DealScore r
        cdef int claimed = claim_of(claim)
        if self.d.phase != OVER and (claim is None or self.d.phase != PLAY):
            raise ValueError(f"the deal has no result yet: it is in phase {Phase(self.d.phase).name}")
        _rules.score(&self.d, max(claimed, 0), &r)
        return DealResult(
            declarer=r.declarer,
            trump=SUITS[self.d.trump],
            made=bool(r.made),
            pit=bool(r.pit),
            card_points=(r.points[0], r.points[1]),
            roem=(r.roem[0], r.roem[1]),
            tricks=(r.tricks[0], r.tricks[1]),
            scores=(r.scores[0], r.scores[1]),
        )

    def outcome(self):
        """The facts that statistics count; None if the deal is not over."""
        cdef DealScore r
        if self.d.phase != OVER:
            return None
        _rules.score(&self.d, 0, &r)
        return Outcome(r.declarer, self.kind, bool(r.made))

    @staticmethod
    def parse(text):
        """The state in a line written by `text`.

        Raises:
            ParseError: if the line is malformed.
            IllegalAction: if an action is not legal when it is played.
        """
        deal, words, actions = split_position(text)
        cdef KlaverjasState state = KlaverjasState.__new__(KlaverjasState)
        read_head(&state.d, read_fields(words, FIELDS), Deal.parse(deal, PLACE_SIZES).places)
        for action in actions:
            state.apply_checked(parse_action(action))
        return state


@cython.final
cdef class KlaverjasView(KlaverjasPosition, ViewMethods):
    """The information set of a seat: immutable, hashable, with perfect recall."""

    cdef type counterpart(self):
        return KlaverjasState

    @property
    def hand(self):
        return self.d.hands[self.d.viewer]

    @staticmethod
    def parse(text):
        """The view in a line written by `text`.

        A seat cannot play a card that would have made an earlier play of its illegal. Whether any deal of all unknown
        cards fits is found out by beliefs.

        Raises:
            ParseError: if the line is malformed or contradicts itself.
        """
        cdef KlaverjasView view = KlaverjasView.__new__(KlaverjasView)
        cdef uint32_t seen
        cdef uint32_t[4] barred = [0, 0, 0, 0]
        cdef int seat
        deal, words, actions = split_position(text)
        fields = read_fields(words, ("seat", *FIELDS))
        if fields.get("seat") not in ("0", "1", "2", "3"):
            raise ParseError("a view names its seat once, as in seat=1")
        seat = int(fields.pop("seat"))
        places = [0 if word == "?" else parse_mask(word) for word in deal.split("/")]
        if [place.bit_count() for place in places] != [8 * (place == seat) for place in range(SEATS)]:
            raise ParseError(f"the view of seat {seat} shows its eight cards and three '?', joined by '/'")
        read_head(&view.d, fields, places)
        seen = places[seat]
        for number, text in enumerate(actions, start=1):
            action = parse_action(text)
            if view.d.phase == OVER:
                raise ParseError(f"action {number} of the view, {text}, comes after the end of the deal")
            if view.d.to_act == seat or action >= 32:
                possible = _rules.legal(&view.d) >> action & 1
            else:
                possible = view.d.phase == PLAY and not (seen | barred[view.d.to_act]) >> action & 1
                seen |= <uint32_t>1 << action
            if not possible:
                raise ParseError(f"action {number} of the view, {text}, is not possible there")
            _rules.push(&view.d, action)
            if view.d.plays and view.d.plays & 3 == 0:
                # A seat plays once in a trick, so its own plays before the next are all there.
                _rules.excluded(&view.d, barred)
        view.d.viewer = seat
        return view
