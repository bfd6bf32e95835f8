"""SkatState, a whole game, and SkatView, the information set of a seat."""

cimport cython
from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t, uint64_t

from skat_env._bits cimport trailing_zeros
from skat_env._position cimport Kernel, Position, claim_of, index_of, require_rules
from skat_env._random cimport random_deal
from skat_env.skat cimport _observation, _rules
from skat_env.skat._rules cimport (
    ACTIONS, GROUPS, HIDDEN, MAX_ACTIONS, NOBODY, OVER, PLAY, SEATS, SKAT,
    START_AUCTION_GIVEN, START_CARDPLAY, START_DEAL, UNDECIDED, SkatData, SkatResult,
)

from skat_env._position import StateMethods, ViewMethods
from skat_env.cards import mask_text, parse_mask
from skat_env.deal import Deal, require_deal
from skat_env.errors import ParseError
from skat_env.options import check_list, shown
from skat_env.position_text import read_fields, split_position
from skat_env.protocols import Outcome
from skat_env.skat.observation import WIDTH
from skat_env.skat.rules import (
    BID_LEVEL, BID_VALUES, PLACE_SIZES, Announcement, Contract, Declaration, Phase, SkatRules, Start,
    action_text, parse_action,
)
from skat_env.skat.scoring import REWARD_UNITS, GameResult

cdef Kernel SKAT_KERNEL
cdef int[4] SIZES = [10, 10, 10, 2]


cdef uint64_t kernel_legal(const void* s) noexcept nogil:
    return _rules.legal(<const SkatData*>s)


cdef int kernel_to_act(const void* s) noexcept nogil:
    cdef int seat = (<const SkatData*>s).to_act
    return -1 if seat == NOBODY else seat


cdef void kernel_push(void* s, int action) noexcept nogil:
    _rules.push(<SkatData*>s, action)


cdef int kernel_rollout(void* s, uint64_t* stream) noexcept nogil:
    return _rules.rollout(<SkatData*>s, stream)


cdef void kernel_pop(void* s) noexcept nogil:
    _rules.pop(<SkatData*>s)


cdef void kernel_returns(const void* s, int unit, int32_t* out) noexcept nogil:
    _rules.returns(<const SkatData*>s, unit, out)


cdef void kernel_observe(const void* s, int seat, int8_t* out) noexcept nogil:
    _observation.observe(<const SkatData*>s, seat, out)


cdef void kernel_deal(void* s, uint64_t* stream) noexcept nogil:
    cdef uint32_t places[4]
    random_deal(stream, SIZES, 4, places)
    _rules.start_deal(<SkatData*>s, places, (<SkatData*>s).play_out)


cdef const uint8_t* kernel_leaders(const void* s) noexcept nogil:
    return (<const SkatData*>s).leaders


cdef void kernel_hide(void* s, int viewer) noexcept nogil:
    _rules.hide(<SkatData*>s, viewer)


cdef int kernel_viewer(const void* s) noexcept nogil:
    cdef int seat = (<const SkatData*>s).viewer
    return -1 if seat == NOBODY else seat


cdef int kernel_plays(const void* s) noexcept nogil:
    return (<const SkatData*>s).plays


cdef void kernel_slots(const void* s, int8_t* out) noexcept nogil:
    _rules.slots(<const SkatData*>s, out)


cdef void kernel_complete(void* s, const uint32_t* unknown, uint64_t* stream) noexcept nogil:
    _rules.complete(<SkatData*>s, unknown, stream)


cdef const uint8_t* kernel_history(const void* s, int* length) noexcept nogil:
    length[0] = (<const SkatData*>s).length
    return (<const SkatData*>s).history


cdef void kernel_settle(const void* s, int claim, int unit, int32_t* out) noexcept nogil:
    cdef SkatResult r
    _rules.result(<const SkatData*>s, claim, &r)
    _rules.score(&r, unit, out)


cdef int kernel_phase(const void* s) noexcept nogil:
    return (<const SkatData*>s).phase


cdef int kernel_declarer(const void* s) noexcept nogil:
    cdef int seat = (<const SkatData*>s).soloist
    return -1 if seat == NOBODY else seat


cdef int kernel_contract(const void* s) noexcept nogil:
    cdef int contract = (<const SkatData*>s).contract
    return -1 if contract == UNDECIDED else contract


SKAT_KERNEL = Kernel(
    size=sizeof(SkatData), seats=SEATS, places=4, actions=ACTIONS, features=WIDTH, units=len(REWARD_UNITS),
    max_actions=MAX_ACTIONS,
    legal=kernel_legal, to_act=kernel_to_act, push=kernel_push, rollout=kernel_rollout, pop=kernel_pop,
    returns=kernel_returns, observe=kernel_observe, deal=kernel_deal, history=kernel_history, leaders=kernel_leaders,
    hide=kernel_hide, viewer=kernel_viewer, settle=kernel_settle,
    plays=kernel_plays, slots=kernel_slots, complete=kernel_complete, phase=kernel_phase, declarer=kernel_declarer,
    contract=kernel_contract,
)


cdef int set_auction(SkatData* d, object soloist, object bids) except -1:
    """Sets the result of an auction: its soloist and the bids."""
    cdef int seat, bid
    cdef int declarer = index_of(soloist, SEATS)
    if declarer < 0:
        raise ParseError(f"declarer {shown(soloist)} is not a seat: expected 0, 1 or 2")
    bids = check_list("an auction", "bids", bids)
    if len(bids) != SEATS:
        raise ParseError(f"bids {bids} have {len(bids)} values: expected one per seat, 0 for a seat that did not bid")
    for seat in range(SEATS):
        bid = index_of(bids[seat], max(BID_VALUES) + 1)
        if bid != 0 and bid not in BID_LEVEL:
            raise ParseError(f"{shown(bids[seat])} is not a bid value: expected 0 or one of {BID_VALUES}")
        d.bids[seat] = BID_LEVEL[bid] if bid else 0
        d.bid = max(d.bid, d.bids[seat])
        if seat != declarer:
            d.passed |= 1 << seat
    if not d.bids[declarer] or d.bids[declarer] != d.bid:
        raise ParseError(f"declarer {declarer} does not have the highest of the bids {tuple(bids)}")
    # The order of the bidding is not recorded: nothing after the auction depends on it.
    d.senior = declarer
    d.start = START_AUCTION_GIVEN
    d.soloist = d.to_act = declarer
    d.phase = _rules.PICK_UP
    return 0


cdef int set_declaration(SkatData* d, object declaration) except -1:
    """Sets the declared game; the skat has the soloist's discards if it picked up."""
    if not isinstance(declaration, Declaration):
        raise ParseError(f"a declared game is a Declaration, not {shown(declaration)}")
    d.start = START_CARDPLAY
    d.contract = declaration.contract
    d.hand_game = declaration.hand
    d.picked_up = not declaration.hand
    d.discards = 0
    d.announcement = declaration.announcement
    _rules.begin_play(d)
    return 0


cdef int set_up(SkatData* d, object places, object rules) except -1:
    cdef uint32_t masks[4]
    cdef int place
    require_rules(rules, SkatRules)
    for place in range(4):
        masks[place] = places[place]
    _rules.start_deal(d, masks, rules.play_out)
    return 0


cdef int read_head(SkatData* d, object fields, object places) except -1:
    """Sets up the position described by the fields of a text."""
    play_out = fields.get("play_out", "0")
    if play_out not in ("0", "1"):
        raise ParseError(f"'play_out={play_out}' is neither 0 nor 1")
    set_up(d, places, SkatRules(play_out=play_out == "1"))
    if "declarer" in fields:
        words = [fields["declarer"], *fields.get("bids", "").split(",")]
        # int() would take 1_8, +18 and other digits, too.
        if not all([word.isascii() and word.isdecimal() and len(word) < 4 for word in words]):
            raise ParseError("'declarer=' needs a seat, and with it 'bids=' of three numbers as in bids=18,20,0")
        declarer, *bids = map(int, words)
        set_auction(d, declarer, tuple(bids))
        if "game" in fields:
            set_declaration(d, Declaration.parse(fields["game"]))
    elif "bids" in fields or "game" in fields:
        raise ParseError("'bids=' and 'game=' need 'declarer=' with them")
    return 0


cdef bint failed_to_follow(const SkatData* d, int seat, uint32_t cards) noexcept nogil:
    """Whether a seat has failed to follow the suit, or the trumps, of one of some cards; in cardplay only."""
    cdef const uint8_t* group = _rules.tables().group[d.contract]
    while cards:
        if d.void_since[seat][group[trailing_zeros(cards)]]:
            return True
        cards &= cards - 1
    return False


def matadors_of(uint32_t cards, int contract):
    """The matadors of a soloist's cards: positive with, negative without; 0 in null games."""
    return _rules.matadors(cards, contract)


cdef class SkatPosition(Position):
    """What a state and a view have in common; in a view, places that the seat cannot see are empty."""

    action_text = staticmethod(action_text)
    reward_units = REWARD_UNITS

    def __cinit__(self, *args, **kwargs):
        self.kernel = &SKAT_KERNEL
        self.data = &self.d

    @property
    def phase(self):
        return Phase(self.d.phase)

    @property
    def stage(self):
        if self.d.phase < _rules.PICK_UP:
            return "auction"
        return "declaration" if self.d.phase < PLAY else "cardplay"

    @property
    def kind(self):
        if self.d.contract == UNDECIDED:
            return None
        return ("suit", "grand", "null")[max(0, self.d.contract - 3)]

    @property
    def start(self):
        return Start(self.d.start)

    @property
    def rules(self):
        return SkatRules(play_out=bool(self.d.play_out))

    @property
    def hands(self):
        return (self.d.hands[0], self.d.hands[1], self.d.hands[2])

    @property
    def skat(self):
        return self.d.hands[SKAT]

    @property
    def bid(self):
        return BID_VALUES[self.d.bid - 1] if self.d.bid else 0

    @property
    def next_bid(self):
        return BID_VALUES[self.d.bid] if self.d.bid < 63 else 0

    @property
    def bids(self):
        return tuple([BID_VALUES[self.d.bids[seat] - 1] if self.d.bids[seat] else 0 for seat in range(3)])

    @property
    def passed(self):
        return tuple([bool(self.d.passed >> seat & 1) for seat in range(3)])

    @property
    def soloist(self):
        return -1 if self.d.soloist == NOBODY else self.d.soloist

    @property
    def contract(self):
        return None if self.d.contract == UNDECIDED else Contract(self.d.contract)

    @property
    def picked_up(self):
        return bool(self.d.picked_up)

    @property
    def hand_game(self):
        return bool(self.d.hand_game)

    @property
    def announcement(self):
        return Announcement(self.d.announcement)

    @property
    def declaration(self):
        if self.d.contract == UNDECIDED:
            return None
        return Declaration(Contract(self.d.contract), bool(self.d.hand_game), Announcement(self.d.announcement))

    @property
    def tricks(self):
        return (self.d.tricks[0], self.d.tricks[1])

    @property
    def points(self):
        return (self.d.points[0], self.d.points[1])

    @property
    def leader(self):
        return self.d.leaders[self.d.plays // 3] if self.d.phase == PLAY else -1

    def side(self, seat):
        """The side of a seat: 0 the soloist, 1 the defenders; -1 before there is a soloist."""
        cdef int number = self.seat_of(seat)
        if self.d.soloist == NOBODY:
            return -1
        return int(number != self.d.soloist)

    def is_void(self, seat, group):
        """Whether a seat has failed to follow a group of cards: 0..3 the suits D H S C, 4 the trumps."""
        cdef int who = index_of(seat, SEATS)
        cdef int which = index_of(group, GROUPS)
        if who < 0 or which < 0:
            raise ValueError(f"seat {shown(seat)} or group {shown(group)} out of range: seats are 0..2, groups 0..4")
        return self.d.void_since[who][which] != 0

    def follow_mask(self, card):
        """The cards that follow a led card under the contract."""
        cdef int led = index_of(card, 32)
        if self.d.contract == UNDECIDED or led < 0:
            raise ValueError("follow_mask needs a declared contract and a card 0..31")
        return _rules.tables().follow[self.d.contract][led]

    def head(self):
        """The part of `text` between the deal and the actions: `key=value ...`; empty for a fresh deal."""
        cdef bint view = self.d.viewer != NOBODY
        words = []
        if view:
            words.append(f"seat={self.d.viewer}")
        if self.d.play_out:
            words.append("play_out=1")
        if self.d.start != START_DEAL:
            words.append(f"declarer={self.d.soloist} bids={','.join(map(str, self.bids))}")
        if self.d.start == START_CARDPLAY:
            words.append(f"game={self.declaration.text()}")
        if view and self.d.viewer != self.d.soloist and self.d.announcement == 3 and self.d.phase in (PLAY, OVER):
            words.append(f"open={mask_text(self.d.hands[self.d.soloist])}")
        return " ".join(words)


@cython.final
cdef class SkatState(SkatPosition, StateMethods):
    """A whole game of Skat with all cards and actions; mutable. Agents see `view(seat)` only."""

    cdef type counterpart(self):
        return SkatView

    @staticmethod
    def new(deal, rules=SkatRules()):
        """The state after the deal: middlehand bids to forehand."""
        cdef SkatState state = SkatState.__new__(SkatState)
        require_deal(deal, PLACE_SIZES)
        set_up(&state.d, deal.places, rules)
        return state

    @staticmethod
    def random(rng, rules=SkatRules(), deal=None):
        """A fresh deal; its cards are drawn unless given."""
        return SkatState.new(Deal.random(rng, PLACE_SIZES) if deal is None else deal, rules)

    @staticmethod
    def after_auction(deal, declarer, bids, rules=SkatRules()):
        """A state with a given auction: the declarer is to pick up the skat or play hand.

        `bids` has the highest value that each seat bid or held, 0 for none; the declarer's must be the highest.
        """
        cdef SkatState state = SkatState.new(deal, rules)
        set_auction(&state.d, declarer, bids)
        return state

    @staticmethod
    def cardplay(deal, declarer, declaration, bids, rules=SkatRules()):
        """A state at the beginning of the cardplay: forehand is to lead.

        The skat of `deal` is the present one: the discards, or in a hand game the skat as dealt.
        """
        cdef SkatState state = SkatState.after_auction(deal, declarer, bids, rules)
        set_declaration(&state.d, declaration)
        return state

    def result(self, claim=None):
        """The `GameResult` of a finished game.

        `claim` gives the tricks that were not played to the soloist (True) or to the defenders (False), as when a side
        shows its cards or resigns. In a null game, True means that the soloist takes no more tricks, False that it
        loses.

        Raises:
            ValueError: if the game is not over and no claim is given.
        """
        cdef SkatResult r
        cdef int32_t points[3]
        cdef int claimed = claim_of(claim)
        if self.d.phase != OVER and (claim is None or self.d.phase != PLAY):
            raise ValueError(f"the game has no result yet: it is in phase {Phase(self.d.phase).name}")
        _rules.result(&self.d, claimed, &r)
        _rules.score(&r, 0, points)
        return GameResult(
            declarer=r.soloist,
            contract="" if r.soloist < 0 else self.declaration.text(),
            bid=self.bid,
            won=bool(r.won),
            value=r.value,
            list_score=r.value if r.won else -2 * r.value,
            card_points=r.card_points,
            tricks=r.tricks,
            matadors=r.matadors,
            schneider=bool(r.schneider),
            schwarz=bool(r.schwarz),
            overbid=bool(r.overbid),
            tournament_points=(points[0], points[1], points[2]),
        )

    @property
    def matadors(self):
        if self.d.soloist == NOBODY or self.d.contract == UNDECIDED:
            return 0
        return _rules.matadors(self.d.dealt[self.d.soloist] | self.d.dealt[SKAT], self.d.contract)

    def outcome(self):
        """The facts that statistics count; None if the game is not over or had no soloist."""
        cdef SkatResult r
        if self.d.phase != OVER or self.d.soloist == NOBODY:
            return None
        _rules.result(&self.d, -1, &r)
        declaration = self.declaration
        marks = ["hand"] if declaration.hand else []
        if declaration.announcement == Announcement.OUVERT:
            marks.append("ouvert")
        elif declaration.announcement != Announcement.NONE:
            marks.append(f"{declaration.announcement.name.lower()} announced")
        if r.overbid:
            marks.append("overbid")
        return Outcome(r.soloist, self.kind, bool(r.won), tuple(marks))

    @staticmethod
    def parse(text):
        """The state in a line written by `text`.

        Raises:
            ParseError: if the line is malformed.
            IllegalAction: if an action is not legal when it is played.
        """
        deal, words, actions = split_position(text)
        cdef SkatState state = SkatState.__new__(SkatState)
        places = Deal.parse(deal, PLACE_SIZES).places
        read_head(&state.d, read_fields(words, ("declarer", "bids", "game", "play_out")), places)
        for action in actions:
            state.apply_checked(parse_action(action))
        return state


@cython.final
cdef class SkatView(SkatPosition, ViewMethods):
    """The information set of a seat: immutable, hashable, with perfect recall (own discards included)."""

    cdef type counterpart(self):
        return SkatState

    @property
    def hand(self):
        return self.d.hands[self.d.viewer]

    @property
    def is_soloist(self):
        return self.d.soloist == self.d.viewer

    @staticmethod
    def parse(text):
        """The view in a line written by `text`.

        A seat that failed to follow cannot play that suit later. Whether any deal of all unknown cards fits is found
        out by beliefs.

        Raises:
            ParseError: if the line is malformed or contradicts itself.
        """
        cdef SkatView view = SkatView.__new__(SkatView)
        cdef int seat, number
        cdef uint32_t seen, card, opened
        deal, head, actions = split_position(text)
        words = deal.split("/")
        if len(words) != 4:
            raise ParseError(f"a deal has 4 places joined by '/', this one has {len(words)}")
        places = [0 if word == "?" else parse_mask(word) for word in words]
        seats = [word[5:] for word in head if word.startswith("seat=")]
        if len(seats) != 1 or seats[0] not in ("0", "1", "2"):
            raise ParseError("a view names its seat once, as in seat=1")
        seat = int(seats[0])
        known = [place for place in range(4) if places[place]]
        if known not in ([seat], [seat, SKAT]) or any(
            places[place].bit_count() != PLACE_SIZES[place] for place in known
        ) or places[seat] & places[SKAT]:
            raise ParseError(f"the view of seat {seat} shows its ten cards, and the skat only if it picked that up")
        rest = [word for word in head if not word.startswith("seat=")]
        fields = read_fields(rest, ("declarer", "bids", "game", "play_out", "open"))
        read_head(&view.d, fields, places)
        seen = places[seat] | places[SKAT]
        for number, text in enumerate(actions, start=1):
            action = parse_action(text)
            legal = _rules.legal(&view.d)
            if view.d.phase == OVER:
                raise ParseError(f"action {number} of the view, {text}, comes after the end of the game")
            if action == HIDDEN:
                possible = view.d.phase == _rules.DISCARD and view.d.soloist != seat
            elif view.d.to_act == seat or action >= 32:
                possible = legal >> action & 1
            else:
                card = <uint32_t>1 << <int>action
                possible = view.d.phase == PLAY and not (
                    seen & card or failed_to_follow(&view.d, view.d.to_act, card)
                )
                seen |= card
            if not possible:
                raise ParseError(f"action {number} of the view, {text}, is not possible there")
            _rules.push(&view.d, action)
        if (places[SKAT] != 0) != (view.d.picked_up and view.d.soloist == seat):
            raise ParseError(f"the view of seat {seat} shows the skat exactly if that seat picked it up")
        shows = view.d.announcement == 3 and view.d.phase in (PLAY, OVER) and view.d.soloist != seat
        if ("open" in fields) != shows:
            raise ParseError("'open=' lists the soloist's cards left in an ouvert game, in a defender's view")
        if shows:
            opened = parse_mask(fields["open"])
            left = PLACE_SIZES[view.d.soloist] - sum(player == view.d.soloist for player, _ in view.plays())
            if opened & seen or opened.bit_count() != left or failed_to_follow(&view.d, view.d.soloist, opened):
                raise ParseError(
                    f"'open={fields['open']}': expected the soloist's {left} cards left, none seen elsewhere "
                    "or of a suit that it failed to follow"
                )
            view.d.hands[view.d.soloist] = opened
        view.d.viewer = seat
        return view
