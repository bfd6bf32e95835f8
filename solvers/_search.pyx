"""Zero-window search of suit and grand games.

Every function answers from the soloist's side: does he get `need` or more of the `rest` that is still to be won? The
answer is a margin: 0 or more says that he gets at least need + margin, less says that he gets at most that.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from skat_env._random cimport popcount, trailing_zeros
from solvers._bits cimport above, below, bit, leading_zeros_64, now, run_of, top
from solvers._layout cimport JACKS_MASK, RICH_MASK, Layout
from solvers._table cimport (
    LOWER_SHIFT, UPPER_SHIFT, Table, table_bucket, table_find, table_place, table_tag,
)


cdef extern from "<immintrin.h>":
    uint32_t pdep "_pdep_u32"(uint32_t, uint32_t) noexcept nogil

cdef enum:
    KB = 12
    SOLOIST_WINS = 1        # trick outcomes in a proof
    DEFENDERS_WIN = 2
    CHECK_EVERY = 1024      # nodes between looks at the clock


cdef void search_start(Search* s, const Layout* layout, Table* table, int soloist) noexcept nogil:
    cdef int card
    for card in range(32):
        s.group[card] = layout.group[card]
        s.points[card] = layout.points[card]
    s.trumps = layout.trumps
    memset(s.killer, 0, sizeof(s.killer))
    s.per_trick = 0
    s.soloist = soloist
    s.table = table
    s.nodes = 0
    s.stopped = False


cdef void find_twins(Search* s) noexcept nogil:
    cdef int lane, shift, cards, count, card, place, seat
    for lane in range(5):
        shift = 7 * lane
        count = 4 if lane == 4 else 3
        for cards in range(1 << count):
            s.canon[lane][cards] = 0
            place = 0
            for card in range(count):
                if not cards >> card & 1:
                    continue
                for seat in range(3):
                    if s.hands[seat] >> (shift + card) & 1:
                        break
                while place < card and not s.hands[seat] >> (shift + place) & 1:
                    place += 1
                s.canon[lane][cards] |= bit(shift + place)
                place += 1


cdef inline uint32_t beating(const Search* s, int card) noexcept nogil:
    """The cards that beat a card that is winning the trick."""
    return above(card) & (s.group[card] | s.trumps)


cdef inline int dearest(uint32_t run) noexcept nogil:
    return top(run & RICH_MASK) if run & RICH_MASK else top(run)


cdef inline int cheapest(uint32_t run) noexcept nogil:
    return trailing_zeros(run & ~<uint32_t>RICH_MASK) if run & ~<uint32_t>RICH_MASK else trailing_zeros(run)


cdef inline uint64_t candidate(int score, int card, uint32_t run) noexcept nogil:
    return <uint64_t>(score + 32768) << 40 | <uint64_t>card << 32 | run


cdef inline uint64_t take_best(uint64_t* moves, int count) noexcept nogil:
    """Takes the candidate of the highest score off the list: the last one fills its place."""
    cdef int i, best = 0
    cdef uint64_t move
    for i in range(1, count):
        if moves[i] > moves[best]:
            best = i
    move = moves[best]
    moves[best] = moves[count - 1]
    return move


cdef inline uint32_t not_refuted(const Search* s, uint32_t run, int card, int* bound, int margin, bint may_win, bint may_lose) noexcept nogil:
    """The cards of a run that may still help after one of them has failed by a margin.

    The cards of a run can change places in any line of play; only their points differ. So what the dearer of two
    brings more is at most the difference, and nothing if the proof leaves the trick to the other side; the cheaper
    one brings at most the difference, and nothing if the mover's side wins the trick throughout.
    """
    cdef uint32_t rest = run & ~bit(card)
    cdef uint32_t left = 0
    cdef int other, gain, most
    while rest:
        other = trailing_zeros(rest)
        rest &= rest - 1
        gain = s.points[other] - s.points[card]
        if gain > 0:
            most = margin + (gain if may_win else 0)
        else:
            most = margin - (gain if may_lose else 0)
        if most < 0:
            if most > bound[0]:
                bound[0] = most
        else:
            left |= bit(other)
    return left


cdef bint limits_reached(Search* s) noexcept nogil:
    s.stopped = s.nodes >= s.node_limit or (s.deadline > 0 and now() >= s.deadline)
    s.check_at = s.nodes + CHECK_EVERY
    if s.check_at > s.node_limit:
        s.check_at = s.node_limit
    return s.stopped


cdef int last_trick(const Search* s, int leader, int need, int rest) noexcept nogil:
    cdef int best = trailing_zeros(s.hands[leader])
    cdef int winner = leader
    cdef int second = (leader + 1) % 3
    cdef int third = (leader + 2) % 3
    cdef uint32_t beat = beating(s, best)
    if s.hands[second] & beat:
        winner = second
        beat = beating(s, trailing_zeros(s.hands[second]))
    if s.hands[third] & beat:
        winner = third
    return (rest if winner == s.soloist else 0) - need


cdef inline int points_in(uint32_t mask) noexcept nogil:
    return (11 * popcount(mask & 0x08102040) + 10 * popcount(mask & 0x04081020) + 4 * popcount(mask & 0x02040810)
            + 3 * popcount(mask & 0x01020408) + 2 * popcount(mask >> 28))


cdef inline uint32_t over(uint32_t mask) noexcept nogil:
    """The cards above the highest of a set; all, if it is empty."""
    return <uint32_t>(<uint64_t>0xFFFFFFFF << (63 - leading_zeros_64(<uint64_t>mask << 1 | 1)))


cdef inline uint32_t lowest(uint32_t mask, int count) noexcept nogil:
    """The lowest cards of a set."""
    return pdep(bit(count) - 1, mask)


cdef int soloist_cashes(const Search* s, int rest) noexcept nogil:
    """What the soloist surely gets when he is to lead.

    He draws trumps with those above all others, then plays the plain cards that nobody beats or ruffs. All the tricks
    being his, a defender gives him at least his cheapest cards of each suit that he leads.
    """
    cdef uint32_t hand = s.hands[s.soloist]
    cdef uint32_t a = s.hands[(s.soloist + 1) % 3]
    cdef uint32_t b = s.hands[(s.soloist + 2) % 3]
    cdef uint32_t sure = hand & s.trumps & over((a | b) & s.trumps)
    cdef int drawn = popcount(sure)
    cdef int trumps_a = popcount(a & s.trumps)
    cdef int trumps_b = popcount(b & s.trumps)
    cdef uint32_t plain = ~s.trumps & hand
    cdef uint32_t group, win, fallen = 0
    cdef int rounds, all_rounds, m, n
    if trumps_a <= drawn:
        fallen |= a & s.trumps
    if trumps_b <= drawn:
        fallen |= b & s.trumps
    while plain:
        group = s.group[top(plain)]
        win = plain & group
        plain &= ~group
        m = popcount(a & group)
        n = popcount(b & group)
        all_rounds = popcount(win)
        win &= over((a | b) & group)
        rounds = popcount(win)
        if trumps_a <= drawn and trumps_b <= drawn:
            if rounds >= m and rounds >= n:
                win = hand & group
                rounds = all_rounds
        else:
            if trumps_a > drawn and m < rounds:
                rounds = m
            if trumps_b > drawn and n < rounds:
                rounds = n
            win &= ~lowest(win, popcount(win) - rounds)
        sure |= win
        fallen |= lowest(a & group, rounds if rounds < m else m) | lowest(b & group, rounds if rounds < n else n)
    return rest if sure == hand else points_in(sure | fallen)


cdef int defenders_cash(const Search* s, int leader, int rest) noexcept nogil:
    """What the defenders surely get when one of them is to lead."""
    cdef uint32_t hand = s.hands[leader]
    cdef uint32_t solo = s.hands[s.soloist]
    cdef uint32_t partner = s.hands[3 - leader - s.soloist]
    cdef uint32_t beat = over(solo & s.trumps) & s.trumps
    cdef uint32_t sure = (hand | partner) & beat
    cdef uint32_t cashed = 0
    cdef uint32_t given = 0
    cdef uint32_t plain = ~s.trumps & hand
    cdef uint32_t group, win, under
    cdef int rounds, held, n
    cdef bint ruffs = (solo & s.trumps) != 0
    while plain:
        group = s.group[top(plain)]
        win = plain & group & over(solo & group)
        plain &= ~group
        held = popcount(solo & group)
        if ruffs and popcount(win) > held:
            win &= ~lowest(win, popcount(win) - held)
        while win and partner & group & above(trailing_zeros(win)) and popcount(partner & group & below(trailing_zeros(win))) < popcount(win):
            win &= win - 1
        if win:
            rounds = popcount(win)
            cashed |= win
            under = partner & group & below(trailing_zeros(win))
            n = popcount(under)
            given |= lowest(solo & group, rounds if rounds < held else held)
            given |= under & ~lowest(under, n - rounds) if n > rounds else under
    if cashed and (not partner & s.trumps or popcount(partner & ~s.trumps) >= popcount(cashed)):
        sure |= cashed | given
        if cashed == hand:
            return rest
    return points_in(sure)


cdef int start(Search* s, int leader, int need, int rest) noexcept nogil:
    """The margin when a seat is to lead."""
    cdef uint32_t all
    cdef uint64_t key, tag
    cdef uint64_t* bucket
    cdef uint64_t* entry
    cdef int lower, upper, margin
    if need <= 0:
        return -need
    if rest < need:
        return rest - need
    all = s.hands[0]
    if not all & (all - 1):
        return last_trick(s, leader, need, rest)
    all &= all - 1
    if not all & (all - 1):
        return lead(s, leader, need, rest)
    s.nodes += 1
    if s.nodes >= s.check_at and limits_reached(s):
        return 0
    all = s.hands[0] | s.hands[1] | s.hands[2]
    # Of cards of no points, and of jacks, only who has them matters, not which.
    key = (all & RICH_MASK | s.canon[0][all & 7] | s.canon[1][all >> 7 & 7] | s.canon[2][all >> 14 & 7]
           | s.canon[3][all >> 21 & 7] | s.canon[4][all >> 28] | <uint64_t>leader << 32)
    bucket = table_bucket(s.table, key)
    tag = table_tag(s.table, key)
    entry = table_find(bucket, tag)
    if entry is not NULL:
        lower = entry[0] >> LOWER_SHIFT & 127
        upper = entry[0] >> UPPER_SHIFT
        if lower >= need:
            return lower - need
        if upper < need:
            return upper - need
    if not s.per_trick:
        if leader == s.soloist:
            lower = soloist_cashes(s, rest)
            if lower >= need:
                return lower - need
            all = (s.hands[0] | s.hands[1] | s.hands[2]) & ~s.hands[leader] & s.trumps
            upper = rest - points_in(all & over(s.hands[leader] & s.trumps))
            if upper < need:
                return upper - need
        else:
            upper = rest - defenders_cash(s, leader, rest)
            if upper < need:
                return upper - need
            all = (s.hands[0] | s.hands[1] | s.hands[2]) & ~s.hands[s.soloist] & s.trumps
            lower = points_in(s.hands[s.soloist] & s.trumps & over(all))
            if lower >= need:
                return lower - need
    margin = lead(s, leader, need, rest)
    if s.stopped:
        return 0
    entry = table_place(s.table, key, tag)
    lower, upper = 0, rest
    if (entry[0] ^ tag) << (64 - LOWER_SHIFT) == 0:
        lower = entry[0] >> LOWER_SHIFT & 127
        upper = entry[0] >> UPPER_SHIFT
    if margin >= 0:
        if need + margin > lower:
            lower = need + margin
    elif need + margin < upper:
        upper = need + margin
    entry[0] = tag | <uint64_t>lower << LOWER_SHIFT | <uint64_t>upper << UPPER_SHIFT
    return margin


cdef int lead(Search* s, int leader, int need, int rest) noexcept nogil:
    """The margin over all leads."""
    cdef uint64_t moves[10]
    cdef uint64_t move
    cdef int count = 0
    cdef uint32_t hand = s.hands[leader]
    cdef int next_seat = (leader + 1) % 3
    cdef int last_seat = (leader + 2) % 3
    cdef uint32_t others = s.hands[next_seat] | s.hands[last_seat]
    cdef bint solo = leader == s.soloist
    cdef int sign = 0 if solo else -1
    cdef int own = SOLOIST_WINS if solo else DEFENDERS_WIN
    cdef int best = -1000
    cdef uint32_t todo = hand
    cdef uint32_t run
    cdef int card, result, margin
    while todo:
        card = top(todo)
        run = run_of(hand, others, s.group[card], card)
        todo &= ~run
        moves[count] = score_lead(s, leader, run, others, solo)
        if run & s.killer[leader][popcount(hand)]:
            moves[count] += <uint64_t>KB << 40
        count += 1
    while count:
        move = take_best(moves, count)
        count -= 1
        card = move >> 32 & 63
        run = <uint32_t>move
        s.hands[leader] = hand ^ bit(card)
        result = second(s, leader, card, need, rest)
        s.hands[leader] = hand
        if s.stopped:
            return 0
        margin = (result >> 2) ^ sign
        if margin >= 0:
            s.killer[leader][popcount(hand)] = bit(card)
            return result >> 2
        if margin > best:
            best = margin
        run = not_refuted(s, run, card, &best, margin, (result & own) != 0, (result & ~own & 3) != 0)
        if run:
            moves[count] = candidate((move >> 40) - 32768 - 2000, dearest(run) if result & own else cheapest(run), run)
            count += 1
    return best ^ sign


cdef inline uint64_t score_lead(const Search* s, int leader, uint32_t run, uint32_t others, bint solo) noexcept nogil:
    cdef int card = top(run)
    cdef uint32_t group = s.group[card]
    cdef int a = (leader + 1) % 3
    cdef int b = (leader + 2) % 3
    cdef int score, partner
    cdef uint32_t foe, ours
    cdef bint wins
    cdef uint32_t isolo
    if solo:
        wins = not (others & group & above(card))
        if not s.trumps & bit(card):
            if (not s.hands[a] & group and s.hands[a] & s.trumps) or (not s.hands[b] & group and s.hands[b] & s.trumps):
                wins = False
        card = dearest(run) if wins else cheapest(run)
        if s.trumps & bit(card):
            score = 30 if wins else 10
        else:
            score = 25 + s.points[card] if wins else -s.points[card]
    else:
        partner = 3 - s.soloist - leader
        foe = s.hands[s.soloist] & group
        ours = (s.hands[leader] | s.hands[partner]) & group
        if s.trumps & bit(card):
            wins = not foe or top(ours) > top(foe)
            card = dearest(run) if wins else cheapest(run)
            score = -10 if s.hands[s.soloist] & s.trumps else 10
            score -= s.points[card]
        elif not foe:
            wins = not s.hands[s.soloist] & s.trumps
            card = dearest(run) if wins else cheapest(run)
            score = 30 + s.points[card] if wins else 5 - s.points[card]
        elif top(ours) > top(foe):
            wins = card > top(foe)
            card = dearest(run) if wins else cheapest(run)
            score = 20 + (s.points[card] if wins else 5)
        else:
            card = cheapest(run)
            score = -s.points[card]
    return candidate(score, card, run)


cdef int second(Search* s, int leader, int led, int need, int rest) noexcept nogil:
    """The margin times 4 plus the trick outcomes of its proof, over all replies to a lead."""
    cdef uint64_t moves[10]
    cdef uint64_t move
    cdef int count = 0
    cdef int seat = (leader + 1) % 3
    cdef int last_seat = (leader + 2) % 3
    cdef uint32_t hand = s.hands[seat]
    cdef uint32_t last_hand = s.hands[last_seat]
    cdef uint32_t others = s.hands[leader] | last_hand | bit(led)
    cdef bint solo = seat == s.soloist
    cdef int sign = 0 if solo else -1
    cdef int own = SOLOIST_WINS if solo else DEFENDERS_WIN
    cdef int best = -1000
    cdef int outcomes = 0
    cdef uint32_t todo = hand & s.group[led]
    cdef uint32_t beat = beating(s, led)
    cdef uint32_t last_legal = last_hand & s.group[led]
    cdef uint32_t run
    cdef int card, result, margin, score, winner, winning
    cdef bint good
    if not todo:
        todo = hand
    if not todo & (todo - 1):
        card = trailing_zeros(todo)
        s.hands[seat] = hand ^ todo
        if beat & todo:
            result = third(s, leader, led, card, seat, card, need, rest)
        else:
            result = third(s, leader, led, card, leader, led, need, rest)
        s.hands[seat] = hand
        return result
    if not last_legal:
        last_legal = last_hand
    while todo:
        card = top(todo)
        run = run_of(hand, others, s.group[card], card)
        todo &= ~run
        if beat >> card & 1:
            winner, winning = seat, card
        else:
            winner, winning = leader, led
        if last_legal & beating(s, winning):
            winner = last_seat
        good = (winner == s.soloist) == solo
        if good:
            card = dearest(run)
            score = 50 + s.points[card] - (5 if s.trumps & beat & bit(card) else 0)
        else:
            card = cheapest(run)
            score = -2 * s.points[card] - (3 if s.trumps & bit(card) else 0)
        moves[count] = candidate(score, card, run)
        count += 1
    while count:
        move = take_best(moves, count)
        count -= 1
        card = move >> 32 & 63
        run = <uint32_t>move
        s.hands[seat] = hand ^ bit(card)
        if beat >> card & 1:
            result = third(s, leader, led, card, seat, card, need, rest)
        else:
            result = third(s, leader, led, card, leader, led, need, rest)
        s.hands[seat] = hand
        if s.stopped:
            return 0
        margin = (result >> 2) ^ sign
        if margin >= 0:
            return result
        outcomes |= result & 3
        if margin > best:
            best = margin
        run = not_refuted(s, run, card, &best, margin, (result & own) != 0, (result & ~own & 3) != 0)
        if run:
            moves[count] = candidate((move >> 40) - 32768 - 2000, dearest(run) if result & own else cheapest(run), run)
            count += 1
    return (best ^ sign) << 2 | outcomes


cdef int third(Search* s, int leader, int led, int reply, int winner, int winning, int need, int rest) noexcept nogil:
    """As `second`, over the third seat's cards. `winning`, of the seat `winner`, is the best card so far."""
    cdef uint64_t moves[10]
    cdef uint64_t move
    cdef int count = 0
    cdef int seat = (leader + 2) % 3
    cdef uint32_t hand = s.hands[seat]
    cdef uint32_t others = s.hands[leader] | s.hands[(leader + 1) % 3] | bit(winning)
    cdef bint solo = seat == s.soloist
    cdef int sign = 0 if solo else -1
    cdef int best = -1000
    cdef int outcomes = 0
    cdef uint32_t todo = hand & s.group[led]
    cdef uint32_t beat = beating(s, winning)
    cdef uint32_t run
    cdef int points = s.points[led] + s.points[reply] + s.per_trick
    cdef int card, margin, score, trick_winner, value
    if not todo:
        todo = hand
    if not todo & (todo - 1):
        card = trailing_zeros(todo)
        s.hands[seat] = hand ^ todo
        value = points + s.points[card]
        trick_winner = seat if beat & todo else winner
        if trick_winner == s.soloist:
            margin = start(s, trick_winner, need - value, rest - value) << 2 | SOLOIST_WINS
        else:
            margin = start(s, trick_winner, need, rest - value) << 2 | DEFENDERS_WIN
        s.hands[seat] = hand
        return margin
    while todo:
        card = top(todo)
        run = run_of(hand, others, s.group[card], card)
        todo &= ~run
        trick_winner = seat if beat >> card & 1 else winner
        if (trick_winner == s.soloist) == solo:
            card = dearest(run)
            score = 50 + s.points[card] - (4 if s.trumps >> card & 1 else 0)
        else:
            card = cheapest(run)
            score = -2 * s.points[card] - (3 if s.trumps >> card & 1 else 0)
        moves[count] = candidate(score, card, 0)
        count += 1
    while count:
        move = take_best(moves, count)
        count -= 1
        card = move >> 32 & 63
        s.hands[seat] = hand ^ bit(card)
        value = points + s.points[card]
        trick_winner = seat if beat >> card & 1 else winner
        if trick_winner == s.soloist:
            margin = start(s, trick_winner, need - value, rest - value) ^ sign
            value = SOLOIST_WINS
        else:
            margin = start(s, trick_winner, need, rest - value) ^ sign
            value = DEFENDERS_WIN
        s.hands[seat] = hand
        if s.stopped:
            return 0
        if margin >= 0:
            return (margin ^ sign) << 2 | value
        outcomes |= value
        if margin > best:
            best = margin
    return (best ^ sign) << 2 | outcomes


cdef int search(Search* s, int leader, int on_table, const uint8_t* cards, int need, int rest) noexcept nogil:
    """The margin at a position with 0, 1 or 2 cards on the table; `rest` includes theirs."""
    cdef int seat = (leader + 1) % 3
    if not s.hands[0] | s.hands[1] | s.hands[2]:
        return -need
    if on_table == 0:
        return start(s, leader, need, rest)
    if on_table == 1:
        return second(s, leader, cards[0], need, rest) >> 2
    if beating(s, cards[0]) >> cards[1] & 1:
        return third(s, leader, cards[0], cards[1], seat, cards[1], need, rest) >> 2
    return third(s, leader, cards[0], cards[1], leader, cards[0], need, rest) >> 2
