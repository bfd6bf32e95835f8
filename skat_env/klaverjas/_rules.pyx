"""The rules of Klaverjas in C: choosing trumps, legal cards, tricks, roem, the score of a deal.

No function checks its arguments: `push` needs a legal action; `KlaverjasState.apply` checks.
"""

from libc.string cimport memset

from skat_env._bits cimport trailing_zeros
from skat_env._random cimport random_bit, random_skip
from skat_env.klaverjas import rules

cdef enum:
    LAST_LEAD = 28          # cards played before the last trick, in which every card is forced

cdef CardTables TABLES
cdef int RUN_OF_THREE = rules.RUN_OF_THREE
cdef int RUN_OF_FOUR = rules.RUN_OF_FOUR
cdef int STUK = rules.STUK
cdef int FOUR_OF_A_KIND = rules.FOUR_OF_A_KIND
cdef int LAST_TRICK = rules.LAST_TRICK
cdef int ALL_POINTS = rules.ALL_POINTS
cdef int PIT = rules.PIT


cdef void build_tables():
    """Fills the tables from rules.py."""
    cdef int trump, led, card, rank, ranks, other
    names = "789TJQKA"
    for card in range(32):
        rank = card & 7
        for trump in range(4):
            if card >> 3 == trump:
                TABLES.power[trump][card] = 8 + rules.TRUMP_RANKS.index(names[rank])
                TABLES.points[trump][card] = rules.TRUMP_POINTS[rank]
            else:
                TABLES.power[trump][card] = rules.PLAIN_RANKS.index(names[rank])
                TABLES.points[trump][card] = rules.PLAIN_POINTS[rank]
    for rank in range(8):
        TABLES.higher[rank] = 0
        for other in range(8):
            if rules.TRUMP_RANKS.index(names[other]) > rules.TRUMP_RANKS.index(names[rank]):
                TABLES.higher[rank] |= 1 << other
    for trump in range(4):
        for card in range(32):
            for led in range(4):
                TABLES.order[trump][led][card] = 1 + TABLES.power[trump][card] if card >> 3 in (led, trump) else 0
            TABLES.over[trump][card] = 0
            for other in range(8 * trump, 8 * trump + 8):
                if TABLES.power[trump][other] > TABLES.power[trump][card]:
                    TABLES.over[trump][card] |= <uint32_t>1 << other
    for ranks in range(256):
        TABLES.runs[ranks] = 0
        if ranks & ranks >> 1 & ranks >> 2:
            TABLES.runs[ranks] = RUN_OF_FOUR if ranks & ranks >> 1 & ranks >> 2 & ranks >> 3 else RUN_OF_THREE


build_tables()


cdef const CardTables* tables() noexcept nogil:
    return &TABLES


cdef void start_deal(KlaverjasData* s, const uint32_t* places, int forehand, const Options* options) noexcept nogil:
    """Sets up the position after the deal: forehand is to choose trumps, or `give_trumps` follows."""
    cdef Options kept = options[0]      # the options may be those of `s` itself
    cdef int seat
    memset(s, 0, sizeof(KlaverjasData))
    for seat in range(SEATS):
        s.hands[seat] = s.dealt[seat] = places[seat]
    s.options = kept
    s.phase = CHOOSE
    s.to_act = s.forehand = forehand
    s.declarer = NOBODY
    s.trump = UNDECIDED
    s.viewer = NOBODY


cdef void give_trumps(KlaverjasData* s, int declarer, int trump) noexcept nogil:
    """Sets declarer and trumps; forehand is to lead."""
    s.declarer = declarer
    s.trump = trump
    s.phase = PLAY
    s.to_act = s.leaders[0] = s.forehand


cdef inline uint32_t suit_mask(int suit) noexcept nogil:
    return <uint32_t>0xFF << (8 * suit)


cdef inline uint32_t higher_trumps(int trump, int card) noexcept nogil:
    return <uint32_t>TABLES.higher[card & 7] << (8 * trump)


cdef inline uint32_t legal_cards(
    uint32_t hand, int trump, bint amsterdam, const uint8_t* trick, int position, int best
) noexcept nogil:
    """The cards of a hand that are legal after the first `position` (1..3) cards of a trick, of which `best` wins."""
    cdef uint32_t trumps = hand & suit_mask(trump)
    cdef uint32_t follow = hand & suit_mask(trick[0] >> 3)
    cdef int winning = trick[best]
    cdef uint32_t higher
    if trick[0] >> 3 == trump:
        higher = follow & higher_trumps(trump, winning)
        return higher if higher else follow if follow else hand
    if follow:
        return follow
    if not trumps:
        return hand
    if winning >> 3 != trump:
        # Amsterdam: if the partner, two places before, wins with a plain card, any card is legal.
        return hand if amsterdam and best == position - 2 else trumps
    higher = trumps & higher_trumps(trump, winning)
    if not amsterdam:
        return higher if higher else trumps
    if best == position - 2:
        # No trump below the partner's, unless the hand has only lower trumps.
        higher |= hand & ~trumps
        return higher if higher else hand
    if higher:
        return higher
    return hand & ~trumps if hand & ~trumps else hand


cdef uint64_t legal(const KlaverjasData* s) noexcept nogil:
    """The legal actions of the seat to act as bits; 0 when the deal is over."""
    cdef int position = s.plays & 3
    if s.phase == PLAY:
        if position == 0:
            return s.hands[s.to_act]
        return legal_cards(
            s.hands[s.to_act], s.trump, s.options.amsterdam, &s.history[s.length - position], position, s.best
        )
    if s.phase == CHOOSE:
        # Forehand must name a suit, and cannot pass, in forced deals and after four passes.
        return <uint64_t>15 << ACT_NAME | <uint64_t>(s.options.choice == FREE and s.length < SEATS) << ACT_PASS
    return 0


cdef inline uint32_t barred(
    bint amsterdam, uint32_t trumps, uint32_t led, uint32_t higher, bint partner, bint is_trump,
    bint follows, bint beats
) noexcept nogil:
    """The cards that a seat cannot hold because they would have made its play illegal; it did not follow a plain suit.

    `led` is the suit led; `higher` are the trumps above the card that was winning, all trumps if that is a plain card;
    `partner` says whether the partner played it. `is_trump`, `follows` and `beats` describe the card played.
    """
    cdef uint32_t unfollowed = 0 if follows else led
    if amsterdam and not follows:
        if is_trump:
            # A lower trump is legal only if the hand has nothing else.
            return unfollowed if beats else ~(trumps & ~higher)
        # If the partner was winning, any card was legal; an opponent's card had to be beaten.
        return unfollowed if partner else unfollowed | higher
    return unfollowed | ((0 if beats else higher) if is_trump else trumps)


cdef void excluded(const KlaverjasData* s, uint32_t* out) noexcept nogil:
    """The cards that each seat cannot hold because they would have made one of its plays illegal."""
    cdef const uint8_t* trick = &s.history[s.length - s.plays]
    cdef const uint8_t* power
    cdef int count = s.plays
    cdef int number, position, seat, card, best, top
    cdef uint32_t trumps, led, higher
    cdef bint is_trump, follows, beats
    out[0] = out[1] = out[2] = out[3] = 0
    if count == 0:
        return
    power = TABLES.power[s.trump]
    trumps = suit_mask(s.trump)
    for number in range((count + 3) >> 2):
        seat = s.leaders[number]
        led = suit_mask(trick[0] >> 3)
        higher = higher_trumps(s.trump, trick[0]) if led == trumps else trumps
        best = 0
        top = power[trick[0]]
        for position in range(1, min(4, count)):
            seat = (seat + 1) & 3
            card = trick[position]
            is_trump = card >> 3 == s.trump
            follows = card >> 3 == trick[0] >> 3
            beats = (is_trump or follows) and power[card] > top
            if is_trump or not follows:
                # Following a plain suit proves nothing.
                out[seat] |= barred(
                    s.options.amsterdam, trumps, led, higher, best == position - 2, is_trump, follows, beats
                )
            if beats:
                top = power[card]
                best = position
                if is_trump:
                    higher = higher_trumps(s.trump, card)
        trick += 4
        count -= 4


cdef int winner_of(int trump, const uint8_t* trick, int count) noexcept nogil:
    """The index of the winning card among the first `count` of a trick."""
    cdef const uint8_t* power = TABLES.power[trump]
    cdef int best = 0
    cdef int i
    for i in range(1, count):
        if power[trick[i]] > power[trick[best]] and (trick[i] >> 3 == trick[best] >> 3 or trick[i] >> 3 == trump):
            best = i
    return best


cdef int roem_of(int trump, bint cheap_jacks, uint32_t trick) noexcept nogil:
    """The roem in the four cards of a trick, given as a mask."""
    cdef int roem = (
        TABLES.runs[trick & 0xFF] + TABLES.runs[trick >> 8 & 0xFF]
        + TABLES.runs[trick >> 16 & 0xFF] + TABLES.runs[trick >> 24]
    )
    cdef uint32_t same = trick & trick >> 8 & trick >> 16 & trick >> 24 & 0xFF
    if (trick >> (8 * trump + 5) & 3) == 3:         # queen and king are ranks 5 and 6
        roem += STUK
    if same:
        roem += FOUR_OF_A_KIND
        if same == 1 << 4 and not cheap_jacks:
            roem += FOUR_OF_A_KIND
    return roem


cdef inline void end_trick(KlaverjasData* s) noexcept nogil:
    """Gives the trick whose fourth card was just played to its winner."""
    cdef const uint8_t* trick = &s.history[s.length - 4]
    cdef const uint8_t* points = TABLES.points[s.trump]
    cdef int number = (s.plays >> 2) - 1
    cdef int winner = (s.leaders[number] + s.best) & 3
    cdef int team = winner & 1
    cdef uint32_t mask = (
        <uint32_t>1 << trick[0] | <uint32_t>1 << trick[1] | <uint32_t>1 << trick[2] | <uint32_t>1 << trick[3]
    )
    s.leaders[number + 1] = winner
    s.points[team] += points[trick[0]] + points[trick[1]] + points[trick[2]] + points[trick[3]]
    s.roem[team] += roem_of(s.trump, s.options.cheap_jacks, mask)
    s.tricks[team] += 1
    s.to_act = winner
    s.best = 0
    if number == TRICKS - 1:
        s.points[team] += LAST_TRICK
        s.phase = OVER
        s.to_act = NOBODY


cdef inline void push_card(KlaverjasData* s, int card) noexcept nogil:
    cdef const uint8_t* power = TABLES.power[s.trump]
    cdef int seat = s.to_act
    cdef int position = s.plays & 3
    cdef int best
    s.hands[seat] &= ~(<uint32_t>1 << card)
    s.plays += 1
    if position:
        best = s.history[s.length - 1 - position + s.best]
        if power[card] > power[best] and (card >> 3 == best >> 3 or card >> 3 == s.trump):
            s.best = position
    if position == 3:
        end_trick(s)
    else:
        s.to_act = (seat + 1) & 3


cdef void push(KlaverjasData* s, int action) noexcept nogil:
    """Plays a legal action (unchecked)."""
    s.history[s.length] = action
    s.length += 1
    if s.phase == PLAY:
        push_card(s, action)
    elif action == ACT_PASS:
        s.to_act = (s.to_act + 1) & 3
    else:
        give_trumps(s, s.to_act, action - ACT_NAME)


cdef inline uint32_t first_of(uint32_t first, uint32_t second) noexcept nogil:
    """The first set, unless it is empty."""
    return first if first else second


cdef inline void finish_trick(KlaverjasData* s, uint64_t* stream, bint amsterdam, bint last) noexcept nogil:
    """Plays random legal cards to the end of the trick on the table, as `legal` and `push` do.

    Random cards cannot be predicted, so branches on them cost more than all else. The one here, on whether a seat can
    follow a plain suit, pays: if it can, its cards do not depend on the card before, and need not wait for it.
    """
    cdef const uint32_t* over_of = TABLES.over[s.trump]
    cdef uint32_t trumps = suit_mask(s.trump)
    cdef uint8_t* trick = &s.history[s.length - (s.plays & 3)]
    cdef int leader = s.leaders[s.plays >> 2]
    cdef int position = s.plays & 3
    cdef const uint8_t* order
    cdef uint32_t hand, over, follow, second, third, choice
    cdef uint32_t plain             # all cards if a plain suit was led, else none
    cdef int best, winning, top, card, beats
    if last:
        random_skip(stream, SEATS - position)
    if position == 0:
        card = trailing_zeros(s.hands[leader]) if last else random_bit(stream, s.hands[leader])
        s.hands[leader] ^= <uint32_t>1 << card
        trick[0] = card
        best = 0
        position = 1
    else:
        best = s.best
    winning = trick[best]
    order = TABLES.order[s.trump][trick[0] >> 3]
    top = order[winning]
    follow = suit_mask(trick[0] >> 3)
    plain = 0 - <uint32_t>(follow != trumps)
    while position < SEATS:
        hand = s.hands[(leader + position) & 3]
        if last:
            card = trailing_zeros(hand)
        else:
            choice = hand & follow & plain
            if not choice:
                over = over_of[winning]
                second = over
                third = trumps
                if amsterdam:
                    # After a plain suit no trump need go on the partner's card, nor a lower one on an opponent's.
                    third = trumps ^ plain
                    second = trumps if not plain else over | ~trumps if best == position - 2 else over
                choice = first_of(hand & over & ~plain, first_of(hand & second, first_of(hand & third, hand)))
            card = random_bit(stream, choice)
        s.hands[(leader + position) & 3] = hand ^ <uint32_t>1 << card
        trick[position] = card
        beats = 0 - (order[card] > top)
        top = max(top, <int>order[card])
        winning ^= (winning ^ card) & beats
        best ^= (best ^ position) & beats
        position += 1
    s.length += SEATS - (s.plays & 3)
    s.plays = (s.plays | 3) + 1
    s.best = best
    end_trick(s)


cdef int rollout(KlaverjasData* s, uint64_t* stream) noexcept nogil:
    """Plays random legal actions to the end; returns their number."""
    cdef int before = s.length
    while s.phase == CHOOSE:
        push(s, random_bit(stream, legal(s)))
    while s.plays < LAST_LEAD:
        if s.options.amsterdam:
            finish_trick(s, stream, True, False)
        else:
            finish_trick(s, stream, False, False)
    if s.phase == PLAY:
        finish_trick(s, stream, False, True)
    return s.length - before


cdef void pop(KlaverjasData* s) noexcept nogil:
    """Takes the last action back (unchecked)."""
    cdef const uint8_t* trick
    cdef uint32_t mask = 0
    cdef int position, number, team, seat, i
    cdef int action = s.history[s.length - 1]
    if s.plays == 0:
        if action == ACT_PASS:
            s.to_act = (s.to_act + 3) & 3
        else:
            s.phase = CHOOSE
            s.to_act = s.declarer
            s.declarer = NOBODY
            s.trump = UNDECIDED
            s.leaders[0] = 0
    else:
        s.plays -= 1
        position = s.plays & 3
        number = s.plays >> 2
        trick = &s.history[s.length - 1 - position]
        seat = (s.leaders[number] + position) & 3
        if position == 3:
            team = s.leaders[number + 1] & 1
            for i in range(4):
                s.points[team] -= TABLES.points[s.trump][trick[i]]
                mask |= <uint32_t>1 << trick[i]
            if s.phase == OVER:
                s.points[team] -= LAST_TRICK
                s.phase = PLAY
            s.roem[team] -= roem_of(s.trump, s.options.cheap_jacks, mask)
            s.tricks[team] -= 1
            s.leaders[number + 1] = 0
        s.best = winner_of(s.trump, trick, position)
        s.hands[seat] |= <uint32_t>1 << action
        s.to_act = seat
    s.length -= 1
    s.history[s.length] = 0


cdef void score(const KlaverjasData* s, int claim, DealScore* out) noexcept nogil:
    """The result of a deal. If it is not over, the remaining card points go to the declaring team (claim 1) or to the
    other (claim 0); remaining tricks have no roem."""
    cdef int team, ours, theirs, winner
    cdef int open_tricks = TRICKS - s.tricks[0] - s.tricks[1]
    cdef int side = s.declarer & 1
    memset(out, 0, sizeof(DealScore))
    out.declarer = s.declarer
    for team in range(2):
        out.points[team] = s.points[team]
        out.roem[team] = s.roem[team]
        out.tricks[team] = s.tricks[team]
    if open_tricks:
        winner = side if claim == 1 else 1 - side
        out.points[winner] += ALL_POINTS - s.points[0] - s.points[1]
        out.tricks[winner] += open_tricks
    ours = out.points[side] + out.roem[side]
    theirs = out.points[1 - side] + out.roem[1 - side]
    out.made = ours > theirs or (ours == theirs and s.options.tie_made)
    out.pit = out.tricks[side] == TRICKS or (s.options.pit_for_both and out.tricks[1 - side] == TRICKS)
    if out.made:
        out.scores[side] = ours
        out.scores[1 - side] = theirs
    else:
        out.scores[1 - side] = ALL_POINTS + out.roem[0] + out.roem[1]
    if out.pit:
        out.scores[side if out.tricks[side] == TRICKS else 1 - side] += PIT


cdef void units(const DealScore* r, int unit, int32_t* out) noexcept nogil:
    """A result in one of scoring.RewardUnit, one integer per seat."""
    cdef int seat, team
    for seat in range(SEATS):
        team = seat & 1
        if unit == 0:
            out[seat] = r.scores[team] - r.scores[1 - team]
        elif unit == 1:
            out[seat] = r.scores[team]
        else:
            out[seat] = 1 if r.made == (team == r.declarer & 1) else -1


cdef void hide(KlaverjasData* s, int viewer) noexcept nogil:
    """Turns a state into the view of a seat, by removing what the seat may not know."""
    cdef int seat
    for seat in range(SEATS):
        if seat != viewer:
            s.hands[seat] = 0
            s.dealt[seat] = 0
    s.viewer = viewer


cdef void slots(const KlaverjasData* s, int8_t* out) noexcept nogil:
    """The number of cards at each place that a view does not know."""
    cdef int seat
    for seat in range(SEATS):
        out[seat] = 0
        if seat != s.viewer:
            out[seat] = TRICKS - (s.plays >> 2)
            if s.plays & 3:
                out[seat] -= ((seat - s.leaders[s.plays >> 2]) & 3) < s.plays & 3


cdef void complete(KlaverjasData* s, const uint32_t* unknown) noexcept nogil:
    """Turns a view into a state, by adding the unknown cards."""
    cdef int seat, i
    cdef int first = s.length - s.plays
    for seat in range(SEATS):
        if seat != s.viewer:
            s.hands[seat] = s.dealt[seat] = unknown[seat]
    for i in range(s.plays):
        seat = (s.leaders[i >> 2] + i) & 3
        if seat != s.viewer:
            s.dealt[seat] |= <uint32_t>1 << s.history[first + i]
    s.viewer = NOBODY
