"""Zero-window search of suit and grand games.

Every function answers from the soloist's side: does it get `need` or more of the `rest` that is still to be won? The
answer is a margin: 0 or more says that it gets at least need + margin, less says that it gets at most that. Within a
function margins are turned to the seat to act (`sign`), so that 0 or more is what it wants.

Functions within a trick return the margin times 4 plus the outcomes of the trick in its proof (SOLOIST_WINS,
DEFENDERS_WIN), for cards of one hand with nothing of the others between them (a run) can change places in any line of
play: they differ in points only, and these go to whom the trick goes. See `not_refuted`.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from skat_env._bits cimport above, bit, popcount, run_of, single, top, trailing_zeros
from skat_env.solvers.skat._bounds cimport defenders_cash, defenders_keep, soloist_cashes, soloist_keeps
from skat_env.solvers.skat._layout cimport RICH_MASK, Layout
from skat_env.solvers._candidates cimport candidate, card_of, score_of, take_best, twins_of
from skat_env.solvers._limits cimport Limits, limits_reached
from skat_env.solvers.skat._order cimport cheapest, dearest, score_lead, score_second, score_third
from skat_env.solvers.skat._seats cimport left_of, right_of
from skat_env.solvers._table cimport (
    Table, table_bucket, table_entry, table_find, table_lower, table_place, table_tag, table_upper,
)


cdef enum:
    SOLOIST_WINS = 1
    DEFENDERS_WIN = 2
    OUTCOMES = 3
    WORST = -1000           # below every margin
    PUT_BACK = 4000         # the score that the next card of a run has less


cdef void search_start(
    Search* s, const Layout* layout, Table* table, Limits* limits, int soloist, const uint32_t* hands, bint tricks
) noexcept nogil:
    """Sets up a search from the hands held, in labels; cards on the table are in no hand."""
    cdef int card, seat
    for card in range(32):
        s.group[card] = layout.group[card]
        s.points[card] = 0 if tricks else layout.points[card]
    for seat in range(3):
        s.hands[seat] = hands[seat]
    s.trumps = layout.trumps
    s.per_trick = tricks
    s.soloist = soloist
    s.table = table
    s.limits = limits
    memset(s.killer, 0, sizeof(s.killer))
    find_twins(s)


cdef void find_twins(Search* s) noexcept nogil:
    """Fills `twins`."""
    cdef int lane, cards
    for lane in range(5):
        for cards in range(16 if lane == 4 else 8):
            s.twins[lane][cards] = twins_of(s.hands, 3, 7 * lane, cards)


cdef inline uint64_t key_of(const Search* s, uint32_t left, int leader) noexcept nogil:
    """The table's key: of cards of no points, and of jacks, it matters only who has them."""
    return (left & RICH_MASK | s.twins[0][left & 7] | s.twins[1][left >> 7 & 7] | s.twins[2][left >> 14 & 7]
            | s.twins[3][left >> 21 & 7] | s.twins[4][left >> 28] | <uint64_t>leader << 32)


cdef inline uint32_t beating(const Search* s, int card) noexcept nogil:
    """The cards that beat one that is winning the trick."""
    return above(card) & (s.group[card] | s.trumps)


cdef inline bint put_back(
    const Search* s, uint64_t* place, uint64_t move, int margin, bint may_win, bint may_lose, int* best
) noexcept nogil:
    """Writes the next candidate of a run of which a card has failed by a margin, if any may help; with less score."""
    cdef int card = card_of(move)
    cdef uint32_t run = not_refuted(s, <uint32_t>move & ~bit(card), card, margin, may_win, may_lose, best)
    if not run:
        return False
    place[0] = candidate(score_of(move) - PUT_BACK, dearest(run) if may_win else cheapest(run), run)
    return True


cdef inline uint32_t not_refuted(
    const Search* s, uint32_t run, int card, int margin, bint may_win, bint may_lose, int* best
) noexcept nogil:
    """The cards of a run that may help where one of them has failed; what they bring at most goes into `best`.

    Playing another card of the run, the same replies lead to the same tricks, with the two cards changed. A dearer
    card brings at most the difference more, and nothing if in the proof the trick always goes to the other side; a
    cheaper one too, and nothing if the trick always goes to the mover's side.
    """
    cdef uint32_t left = 0
    cdef int other, gain, bound
    while run:
        other = trailing_zeros(run)
        run &= run - 1
        gain = s.points[other] - s.points[card]
        if gain > 0:
            bound = margin + (gain if may_win else 0)
        else:
            bound = margin - (gain if may_lose else 0)
        if bound >= 0:
            left |= bit(other)
        elif bound > best[0]:
            best[0] = bound
    return left


cdef int last_trick(const Search* s, int leader, int need, int rest) noexcept nogil:
    """The margin when every seat has one card."""
    cdef int second = left_of(leader)
    cdef int third = right_of(leader)
    cdef int winner = leader
    cdef uint32_t beat = beating(s, trailing_zeros(s.hands[leader]))
    if s.hands[second] & beat:
        winner = second
        beat = beating(s, trailing_zeros(s.hands[second]))
    if s.hands[third] & beat:
        winner = third
    return (rest if winner == s.soloist else 0) - need


cdef int start(Search* s, int leader, int need, int rest) noexcept nogil:
    """The margin when a seat is to lead."""
    cdef uint32_t hand = s.hands[leader]
    cdef uint64_t key, tag
    cdef uint64_t* entry
    cdef int lower = 0
    cdef int upper = rest
    cdef int margin
    if need <= 0:
        return -need
    if rest < need:
        return rest - need
    if single(hand):
        return last_trick(s, leader, need, rest)
    if limits_reached(s.limits):
        return 0
    key = key_of(s, s.hands[0] | s.hands[1] | s.hands[2], leader)
    tag = table_tag(s.table, key)
    entry = table_find(s.table, table_bucket(s.table, key), tag)
    if entry is not NULL:
        lower = table_lower(s.table, entry[0])
        upper = table_upper(s.table, entry[0])
        if lower >= need:
            return lower - need
        if upper < need:
            return upper - need
    if not s.per_trick:
        margin = quick_margin(s, leader, need, rest)
        if margin != WORST:
            return margin
    margin = lead(s, leader, need, rest)
    if s.limits.stopped:
        return 0
    if margin >= 0:
        lower = need + margin
    else:
        upper = need + margin
    # The search below may have moved the entry.
    entry = table_place(s.table, key, tag)
    entry[0] = table_entry(s.table, tag, lower, upper)
    return margin


cdef int quick_margin(const Search* s, int leader, int need, int rest) noexcept nogil:
    """The margin where sure tricks decide; else WORST."""
    cdef bint solo = leader == s.soloist
    cdef int defenders_get
    cdef int soloist_gets = soloist_cashes(s, rest) if solo else soloist_keeps(s, rest)
    if soloist_gets >= need:
        return soloist_gets - need
    defenders_get = defenders_keep(s) if solo else defenders_cash(s, leader, rest)
    if rest - defenders_get < need:
        return rest - defenders_get - need
    return WORST


cdef int lead(Search* s, int leader, int need, int rest) noexcept nogil:
    """The margin over all leads."""
    cdef uint64_t moves[10]
    cdef uint64_t move
    cdef uint32_t hand = s.hands[leader]
    cdef uint32_t others = s.hands[left_of(leader)] | s.hands[right_of(leader)]
    cdef uint32_t* killer = &s.killer[leader][popcount(hand)]
    cdef bint solo = leader == s.soloist
    cdef int sign = 0 if solo else -1
    cdef int own = SOLOIST_WINS if solo else DEFENDERS_WIN
    cdef int best = WORST
    cdef int count = 0
    cdef uint32_t todo = hand
    cdef uint32_t run
    cdef int card, score, result, margin
    while todo:
        run = run_of(hand, others, s.group[top(todo)], top(todo))
        todo &= ~run
        card = score_lead(s, leader, run, others, (run & killer[0]) != 0, &score)
        moves[count] = candidate(score, card, run)
        count += 1
    while count:
        move = take_best(moves, count)
        count -= 1
        card = card_of(move)
        s.hands[leader] = hand ^ bit(card)
        result = second(s, leader, card, need, rest)
        s.hands[leader] = hand
        if s.limits.stopped:
            return 0
        margin = (result >> 2) ^ sign
        if margin >= 0:
            killer[0] = bit(card)
            return result >> 2
        best = max(best, margin)
        count += put_back(s, moves + count, move, margin, result & own, result & (own ^ OUTCOMES), &best)
    return best ^ sign


cdef int second(Search* s, int leader, int led, int need, int rest) noexcept nogil:
    """The margin and the outcomes over all replies to a lead."""
    cdef uint64_t moves[10]
    cdef uint64_t move
    cdef int seat = left_of(leader)
    cdef uint32_t hand = s.hands[seat]
    cdef uint32_t last_hand = s.hands[right_of(leader)]
    cdef uint32_t others = s.hands[leader] | last_hand | bit(led)
    cdef uint32_t beat = beating(s, led)
    cdef uint32_t last_legal = last_hand & s.group[led]
    cdef bint solo = seat == s.soloist
    cdef int sign = 0 if solo else -1
    cdef int own = SOLOIST_WINS if solo else DEFENDERS_WIN
    cdef int best = WORST
    cdef int outcomes = 0
    cdef int count = 0
    cdef uint32_t todo = hand & s.group[led]
    cdef uint32_t run
    cdef int card, score, result, margin, winner
    if not todo:
        todo = hand
    if single(todo):
        s.hands[seat] = hand ^ todo
        result = reply(s, leader, led, trailing_zeros(todo), beat, need, rest)
        s.hands[seat] = hand
        return result
    if not last_legal:
        last_legal = last_hand
    while todo:
        card = top(todo)
        run = run_of(hand, others, s.group[card], card)
        todo &= ~run
        # Who takes the trick if the last seat takes it where it can.
        winner = seat if beat >> card & 1 else leader
        if last_legal & beating(s, card if winner == seat else led):
            winner = right_of(leader)
        card = score_second(s, seat, winner, run, beat, &score)
        moves[count] = candidate(score, card, run)
        count += 1
    while count:
        move = take_best(moves, count)
        count -= 1
        card = card_of(move)
        s.hands[seat] = hand ^ bit(card)
        result = reply(s, leader, led, card, beat, need, rest)
        s.hands[seat] = hand
        if s.limits.stopped:
            return 0
        margin = (result >> 2) ^ sign
        if margin >= 0:
            return result
        outcomes |= result & OUTCOMES
        best = max(best, margin)
        count += put_back(s, moves + count, move, margin, result & own, result & (own ^ OUTCOMES), &best)
    return (best ^ sign) * 4 | outcomes


cdef inline int reply(Search* s, int leader, int led, int card, uint32_t beat, int need, int rest) noexcept nogil:
    """What follows the second card of a trick."""
    if beat >> card & 1:
        return third(s, leader, led, card, left_of(leader), card, need, rest)
    return third(s, leader, led, card, leader, led, need, rest)


cdef int third(
    Search* s, int leader, int led, int reply, int winner, int winning, int need, int rest
) noexcept nogil:
    """The margin and the outcomes over all cards of the third seat; `winning`, of the seat `winner`, leads so far.

    Who takes the trick is known here, so of a run only the dearest or the cheapest card is searched.
    """
    cdef uint64_t moves[10]
    cdef int seat = right_of(leader)
    cdef uint32_t hand = s.hands[seat]
    cdef uint32_t others = s.hands[leader] | s.hands[left_of(leader)] | bit(winning)
    cdef uint32_t beat = beating(s, winning)
    cdef int points = s.points[led] + s.points[reply] + s.per_trick
    cdef bint solo = seat == s.soloist
    cdef int sign = 0 if solo else -1
    cdef int best = WORST
    cdef int outcomes = 0
    cdef int count = 0
    cdef uint32_t todo = hand & s.group[led]
    cdef uint32_t run
    cdef int card, score, result, margin
    if not todo:
        todo = hand
    if single(todo):
        s.hands[seat] = hand ^ todo
        card = trailing_zeros(todo)
        result = end_trick(s, seat if beat & todo else winner, points + s.points[card], need, rest)
        s.hands[seat] = hand
        return result
    while todo:
        card = top(todo)
        run = run_of(hand, others, s.group[card], card)
        todo &= ~run
        card = score_third(s, seat, seat if beat >> card & 1 else winner, run, &score)
        moves[count] = candidate(score, card, 0)
        count += 1
    while count:
        card = card_of(take_best(moves, count))
        count -= 1
        s.hands[seat] = hand ^ bit(card)
        result = end_trick(s, seat if beat >> card & 1 else winner, points + s.points[card], need, rest)
        s.hands[seat] = hand
        if s.limits.stopped:
            return 0
        margin = (result >> 2) ^ sign
        if margin >= 0:
            return result
        outcomes |= result & OUTCOMES
        best = max(best, margin)
    return (best ^ sign) * 4 | outcomes


cdef inline int end_trick(Search* s, int winner, int points, int need, int rest) noexcept nogil:
    """What follows the third card of a trick."""
    if winner == s.soloist:
        return start(s, winner, need - points, rest - points) * 4 | SOLOIST_WINS
    return start(s, winner, need, rest - points) * 4 | DEFENDERS_WIN


cdef int search(Search* s, int leader, int on_table, const uint8_t* cards, int need, int rest) noexcept nogil:
    """The margin at a position with 0, 1 or 2 cards on the table; `rest` includes theirs."""
    if not s.hands[0] | s.hands[1] | s.hands[2]:
        return -need
    if on_table == 0:
        return start(s, leader, need, rest)
    if on_table == 1:
        return second(s, leader, cards[0], need, rest) >> 2
    return reply(s, leader, cards[0], cards[1], beating(s, cards[0]), need, rest) >> 2
