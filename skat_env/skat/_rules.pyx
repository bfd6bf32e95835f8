"""The rules of Skat in C: auction, declaration, tricks, result (source: the International Skat Order).

No function checks its arguments: `push` needs a legal action; `SkatState.apply` checks.
"""

from libc.string cimport memset

from skat_env._bits cimport popcount, trailing_zeros
from skat_env._random cimport random_bit
from skat_env.skat import rules

cdef CardTables TABLES
cdef int BASE_VALUES[5]
cdef int BID_VALUES[64]
cdef int NULL_VALUES[2][2]      # hand, ouvert
cdef int[7] TRUMPS_DOWN = [7, 3, 6, 5, 2, 1, 0]     # ranks of the suit's trumps below the jacks: A T K Q 9 8 7


cdef void build_tables():
    """Fills the tables from rules.py."""
    cdef int contract, card, other, suit, rank
    for card in range(32):
        TABLES.points[card] = rules.CARD_POINTS[card & 7]
        for contract in range(CONTRACTS):
            suit, rank = card >> 3, card & 7
            if contract == NULL_CONTRACT:
                TABLES.group[contract][card] = suit
                TABLES.strength[contract][card] = rules.NULL_RANKS.index("789TJQKA"[rank])
            elif rank == 4:
                TABLES.group[contract][card] = TRUMP_GROUP
                TABLES.strength[contract][card] = 7 + suit
            else:
                TABLES.group[contract][card] = TRUMP_GROUP if suit == contract else suit
                TABLES.strength[contract][card] = rules.TRUMP_GAME_RANKS.index("789TJQKA"[rank])
    for contract in range(CONTRACTS):
        for card in range(32):
            TABLES.follow[contract][card] = 0
            for other in range(32):
                if TABLES.group[contract][other] == TABLES.group[contract][card]:
                    TABLES.follow[contract][card] |= <uint32_t>1 << other
    for contract in range(5):
        BASE_VALUES[contract] = rules.BASE_VALUES[contract]
    BID_VALUES[0] = 0
    for level in range(63):
        BID_VALUES[level + 1] = rules.BID_VALUES[level]
    for hand in range(2):
        for ouvert in range(2):
            NULL_VALUES[hand][ouvert] = rules.NULL_VALUES[bool(hand), bool(ouvert)]


build_tables()


cdef const CardTables* tables() noexcept nogil:
    return &TABLES


cdef void start_deal(SkatData* s, const uint32_t* places, bint play_out) noexcept nogil:
    """Sets up the position after the deal: middlehand bids to forehand."""
    cdef int place
    memset(s, 0, sizeof(SkatData))
    for place in range(4):
        s.hands[place] = s.dealt[place] = places[place]
    s.phase = BID
    s.to_act = 1
    s.senior = 0
    s.soloist = NOBODY
    s.contract = UNDECIDED
    s.viewer = NOBODY
    s.play_out = play_out


cdef uint64_t legal(const SkatData* s) noexcept nogil:
    """The legal actions of the seat to act as bits; 0 when the game is over."""
    cdef uint32_t hand, follow
    if s.phase == PLAY:
        hand = s.hands[s.to_act]
        if s.plays % 3 == 0:
            return hand
        follow = hand & TABLES.follow[s.contract][s.history[s.length - s.plays % 3]]
        return follow if follow else hand
    if s.phase == BID:
        return (<uint64_t>1 << ACT_PASS) | (<uint64_t>(s.bid < 63) << ACT_YES)
    if s.phase == ANSWER:
        return <uint64_t>3 << ACT_PASS
    if s.phase == PICK_UP:
        return <uint64_t>3 << ACT_PICK_UP
    if s.phase == CONTRACT:
        return <uint64_t>63 << ACT_DECLARE
    if s.phase == ANNOUNCE:
        # Null: plain or ouvert; suit and grand announce only in hand games: all four.
        return <uint64_t>(9 if s.contract == NULL_CONTRACT else 15) << ACT_ANNOUNCE
    if s.phase == DISCARD:
        return s.hands[s.soloist]
    return 0


cdef inline void win_auction(SkatData* s, int seat) noexcept nogil:
    s.soloist = seat
    s.to_act = seat
    s.phase = PICK_UP


cdef inline void end_game(SkatData* s) noexcept nogil:
    s.phase = OVER
    s.to_act = NOBODY


cdef void begin_play(SkatData* s) noexcept nogil:
    """Begins the cardplay: forehand is to lead."""
    s.phase = PLAY
    s.to_act = 0
    s.leaders[0] = 0


cdef inline void push_bid(SkatData* s, int action) noexcept nogil:
    cdef int seat = s.to_act
    if action == ACT_YES:
        s.bid += 1
        s.bids[seat] = s.bid
        if seat == 0:                       # forehand takes the game after two passes
            win_auction(s, 0)
        else:
            s.to_act = s.senior
            s.phase = ANSWER
        return
    s.passed |= 1 << seat
    if seat == 1:
        s.to_act = 2                        # rearhand goes on against forehand
    elif seat == 0:
        end_game(s)                         # passed in
    elif s.bid == 0:
        s.to_act = 0
    else:
        win_auction(s, s.senior)


cdef inline void push_answer(SkatData* s, int action) noexcept nogil:
    cdef int seat = s.to_act
    cdef int bidder = 2 if seat == 1 or s.passed else 1
    if action == ACT_YES:
        s.bids[seat] = s.bid
        s.to_act = bidder
        s.phase = BID
        return
    s.passed |= 1 << seat
    if bidder == 2:
        win_auction(s, 2)
    else:
        s.senior = 1
        s.to_act = 2
        s.phase = BID


cdef inline void push_declaration(SkatData* s, int action) noexcept nogil:
    if s.phase == PICK_UP:
        if action == ACT_PICK_UP:
            s.picked_up = 1
            s.hands[s.soloist] |= s.hands[SKAT]
            s.hands[SKAT] = 0
        else:
            s.hand_game = 1
        s.phase = CONTRACT
    elif s.phase == CONTRACT:
        s.contract = action - ACT_DECLARE
        s.phase = ANNOUNCE if s.hand_game or s.contract == NULL_CONTRACT else DISCARD
    elif s.phase == ANNOUNCE:
        s.announcement = action - ACT_ANNOUNCE
        if s.hand_game:
            begin_play(s)
        else:
            s.phase = DISCARD
    else:
        if action != HIDDEN:
            s.hands[s.soloist] &= ~(<uint32_t>1 << action)
            s.hands[SKAT] |= <uint32_t>1 << action
        s.discards += 1
        if s.discards == 2:
            begin_play(s)


cdef inline void end_trick(SkatData* s) noexcept nogil:
    """Gives the trick whose third card was just played to its winner."""
    cdef const uint8_t* cards = &s.history[s.length - 3]
    cdef int trick = s.plays // 3 - 1
    cdef int best = 0
    cdef int i, winner, side
    for i in range(1, 3):
        if TABLES.follow[s.contract][cards[best]] >> cards[i] & 1:
            if TABLES.strength[s.contract][cards[i]] > TABLES.strength[s.contract][cards[best]]:
                best = i
        elif TABLES.group[s.contract][cards[i]] == TRUMP_GROUP:
            best = i
    winner = (s.leaders[trick] + best) % 3
    side = winner != s.soloist
    s.leaders[trick + 1] = winner
    s.points[side] += TABLES.points[cards[0]] + TABLES.points[cards[1]] + TABLES.points[cards[2]]
    s.tricks[side] += 1
    s.to_act = winner
    if trick == TRICKS - 1:
        end_game(s)
    elif not s.play_out:
        # Already lost: the soloist has a trick in null, or missed one after announcing schwarz.
        if s.contract == NULL_CONTRACT:
            if side == 0:
                end_game(s)
        elif s.announcement >= 2 and side == 1:
            end_game(s)


cdef inline void push_card(SkatData* s, int card) noexcept nogil:
    cdef int seat = s.to_act
    cdef int position = s.plays % 3
    cdef int led
    s.hands[seat] &= ~(<uint32_t>1 << card)
    s.plays += 1
    if position:
        led = s.history[s.length - 1 - position]
        if not TABLES.follow[s.contract][led] >> card & 1:
            if not s.void_since[seat][TABLES.group[s.contract][led]]:
                s.void_since[seat][TABLES.group[s.contract][led]] = s.plays
    if position == 2:
        end_trick(s)
    else:
        s.to_act = (seat + 1) % 3


cdef void push(SkatData* s, int action) noexcept nogil:
    """Plays a legal action (unchecked). In a view, HIDDEN stands for an unseen discard."""
    s.history[s.length] = action
    s.length += 1
    if s.phase == PLAY:
        push_card(s, action)
    elif s.phase == BID:
        push_bid(s, action)
    elif s.phase == ANSWER:
        push_answer(s, action)
    else:
        push_declaration(s, action)


cdef int rollout(SkatData* s, uint64_t* stream) noexcept nogil:
    """Plays random legal actions to the end; returns their number. Here, so that the compiler inlines the steps."""
    cdef int actions = 0
    cdef uint64_t choice = legal(s)
    while choice:
        push(s, random_bit(stream, choice))
        actions += 1
        choice = legal(s)
    return actions


cdef inline void pop_card(SkatData* s) noexcept nogil:
    cdef int card, seat, position, trick, side, group, i
    s.phase = PLAY
    s.plays -= 1
    position = s.plays % 3
    trick = s.plays // 3
    seat = (s.leaders[trick] + position) % 3
    if position == 2:
        side = s.leaders[trick + 1] != s.soloist
        for i in range(1, 4):
            s.points[side] -= TABLES.points[s.history[s.length - i]]
        s.tricks[side] -= 1
        s.leaders[trick + 1] = 0
    s.length -= 1
    card = s.history[s.length]
    s.history[s.length] = 0
    s.hands[seat] |= <uint32_t>1 << card
    s.to_act = seat
    for group in range(GROUPS):
        if s.void_since[seat][group] == s.plays + 1:
            s.void_since[seat][group] = 0


cdef void pop(SkatData* s) noexcept nogil:
    """Takes the last action back (unchecked; states only). Before the cardplay it replays the game so far."""
    cdef uint8_t actions[MAX_ACTIONS]
    cdef int length = s.length - 1
    cdef int i
    cdef SkatData fresh
    if s.plays:
        pop_card(s)
        return
    for i in range(length):
        actions[i] = s.history[i]
    start_deal(&fresh, s.dealt, s.play_out)
    if s.start == START_AUCTION_GIVEN:
        fresh.start = s.start
        fresh.bid = s.bid
        fresh.passed = s.passed
        fresh.senior = s.senior
        for i in range(3):
            fresh.bids[i] = s.bids[i]
        win_auction(&fresh, s.soloist)
    for i in range(length):
        push(&fresh, actions[i])
    s[0] = fresh


cdef int points_of(uint32_t mask) noexcept nogil:
    """Card points of a set: jacks 2, queens 3, kings 4, tens 10, aces 11."""
    return (10 * popcount(mask & 0x08080808) + 2 * popcount(mask & 0x10101010) + 3 * popcount(mask & 0x20202020)
            + 4 * popcount(mask & 0x40404040) + 11 * popcount(mask & 0x80808080u))


cdef int matadors(uint32_t twelve, int contract) noexcept nogil:
    """The length of the run of top trumps that the twelve cards hold (positive) or lack (negative); 0 in null games."""
    cdef uint32_t bit
    cdef int suit, i
    cdef int run = 0
    cdef bint held
    if contract == NULL_CONTRACT:
        return 0
    cdef bint with_them = twelve >> 28 & 1
    for suit in range(3, -1, -1):
        held = twelve >> (suit * 8 + 4) & 1
        if held != with_them:
            return run if with_them else -run
        run += 1
    if contract < GRAND_CONTRACT:
        for i in range(7):
            bit = <uint32_t>1 << (contract * 8 + TRUMPS_DOWN[i])
            held = (twelve & bit) != 0
            if held != with_them:
                break
            run += 1
    return run if with_them else -run


cdef void result(const SkatData* s, int claim, SkatResult* out) noexcept nogil:
    """The result if the remaining tricks go to nobody (claim -1), the defenders (0) or the soloist (1).

    Rules: value of a game, winning, overbid (ISkO; checked against the ISS).
    """
    cdef int i, multiplier, bid, base
    cdef uint32_t rest = 0
    memset(out, 0, sizeof(SkatResult))
    if s.soloist == NOBODY or s.contract == UNDECIDED:
        out.soloist = -1
        return
    out.soloist = s.soloist
    out.card_points = s.points[0] + points_of(s.hands[SKAT])
    out.tricks = s.tricks[0]
    cdef int defender_tricks = s.tricks[1]
    cdef int open_tricks = TRICKS - s.tricks[0] - s.tricks[1]
    if claim == 1 and s.contract != NULL_CONTRACT:
        for i in range(3):
            rest |= s.hands[i]
        out.card_points += points_of(rest)
        for i in range(s.plays % 3):
            out.card_points += TABLES.points[s.history[s.length - 1 - i]]
        out.tricks += open_tricks
    elif claim == 0:
        defender_tricks += open_tricks
    bid = BID_VALUES[s.bid]
    if s.contract == NULL_CONTRACT:
        out.value = NULL_VALUES[s.hand_game][s.announcement == 3]
        # A soloist who resigns a null game has lost it, whatever it took.
        out.won = out.tricks == 0 and (claim != 0 or open_tricks == 0)
        out.overbid = out.value < bid
        out.won = out.won and not out.overbid
        return
    out.matadors = matadors(s.dealt[s.soloist] | s.dealt[SKAT], s.contract)
    out.schneider = out.card_points >= 90 or out.card_points <= 30
    out.schwarz = out.tricks == TRICKS or defender_tricks == TRICKS
    # A level for each matador, for the game and for hand; for schneider and schwarz, reached or announced; for
    # announcing each; and for ouvert. Announcements 1, 2 and 3 count as many levels.
    multiplier = abs(out.matadors) + 1 + s.hand_game + s.announcement
    if out.schneider or s.announcement >= 1:
        multiplier += 1
    if out.schwarz or s.announcement >= 2:
        multiplier += 1
    base = BASE_VALUES[s.contract]
    out.value = base * multiplier
    if s.announcement >= 2:
        out.won = out.tricks == TRICKS
    else:
        out.won = out.card_points >= (90 if s.announcement == 1 else 61)
    if out.value < bid:
        out.overbid = 1
        out.won = 0
        out.value = (bid + base - 1) // base * base


cdef void score(const SkatResult* r, int unit, int32_t* out) noexcept nogil:
    """A result in one of scoring.RewardUnit, one integer per seat."""
    cdef int seat
    cdef bint solo
    for seat in range(SEATS):
        solo = seat == r.soloist
        if r.soloist < 0:
            out[seat] = 0
        elif unit == 0:
            if r.won:
                out[seat] = r.value + 50 if solo else 0
            else:
                out[seat] = -2 * r.value - 50 if solo else 40
        elif unit == 1:
            out[seat] = (r.value if r.won else -2 * r.value) if solo else 0
        elif unit == 2:
            out[seat] = 1 if r.won == solo else -1
        else:
            out[seat] = r.card_points if solo else 120 - r.card_points


cdef void returns(const SkatData* s, int unit, int32_t* out) noexcept nogil:
    """The finished game's result in a reward unit, one integer per seat; all 0 before its end."""
    cdef SkatResult r
    result(s, -1, &r)
    if s.phase != OVER:
        r.soloist = -1
    score(&r, unit, out)


cdef inline bint is_open(const SkatData* s) noexcept nogil:
    """Whether the soloist's cards are open."""
    return s.announcement == 3 and (s.phase == PLAY or s.phase == OVER)


cdef void hide(SkatData* s, int viewer) noexcept nogil:
    """Turns a state into the view of a seat, by removing what the seat may not know."""
    cdef int seat, i
    cdef bint knows_skat = s.picked_up and viewer == s.soloist
    cdef bint opened = is_open(s)
    for seat in range(3):
        if seat != viewer:
            if not (opened and seat == s.soloist):
                s.hands[seat] = 0
            s.dealt[seat] = 0
    if not knows_skat:
        s.hands[SKAT] = 0
        s.dealt[SKAT] = 0
        if s.picked_up:
            for i in range(s.length - s.plays - s.discards, s.length - s.plays):
                s.history[i] = HIDDEN
    s.viewer = viewer


cdef void slots(const SkatData* s, int8_t* out) noexcept nogil:
    """The number of cards at each place that a view does not know."""
    cdef int seat, position
    for seat in range(SEATS):
        out[seat] = 0
        if seat == s.viewer or (seat == s.soloist and is_open(s)):
            continue
        out[seat] = 10 - s.plays // 3
        if s.plays % 3:
            position = (seat + 3 - s.leaders[s.plays // 3]) % 3
            out[seat] -= position < s.plays % 3
        if seat == s.soloist and s.picked_up and s.start != START_CARDPLAY:
            out[seat] += 2 - s.discards
    out[SKAT] = s.discards if s.picked_up and s.start != START_CARDPLAY else 2
    if s.picked_up and s.viewer == s.soloist:
        out[SKAT] = 0


cdef void complete(SkatData* s, const uint32_t* unknown, uint64_t* stream) noexcept nogil:
    """Turns a view into a state: adds the unknown cards, and draws which two of the twelve the soloist found."""
    cdef uint32_t played[3]
    cdef uint32_t twelve, discards
    cdef int place, seat, i
    cdef int viewer = s.viewer
    cdef int first = s.length - s.plays
    played[0] = played[1] = played[2] = 0
    for i in range(s.plays):
        played[(s.leaders[i // 3] + i % 3) % 3] |= <uint32_t>1 << s.history[first + i]
    for place in range(4):
        s.hands[place] |= unknown[place]
    for seat in range(SEATS):
        if seat != viewer:
            s.dealt[seat] = s.hands[seat] | played[seat]
    s.viewer = NOBODY
    if not s.picked_up or s.start == START_CARDPLAY:
        s.dealt[SKAT] = s.hands[SKAT]
    elif viewer != s.soloist:
        twelve = s.dealt[s.soloist] | s.hands[SKAT]
        s.dealt[SKAT] = 0
        for _ in range(2):
            s.dealt[SKAT] |= <uint32_t>1 << random_bit(stream, twelve & ~s.dealt[SKAT])
        s.dealt[s.soloist] = twelve & ~s.dealt[SKAT]
        discards = s.hands[SKAT]
        for i in range(first - s.discards, first):
            s.history[i] = trailing_zeros(discards)
            discards &= discards - 1
