"""Zero-window search of Klaverjas.

Every function answers from the declarers' side, who are the seats 0 and 2: do they get `need` or more of what is still
to come? What is counted is the aim's matter (see the header); the answer is fail-soft: need or more is a lower bound of
the value, less an upper bound. With the aim EITHER it is WIN or LOSE.

Functions within a trick return the value times 4 plus the outcomes of the trick in its proof (DECLARERS_WIN,
DEFENDERS_WIN), for cards of one hand with nothing of the others between them (a run), none of which can still be part
of roem, can change places in any line of play: they differ in points only. See `not_refuted`.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from skat_env._bits cimport bit, over, popcount, run_of, single, top, trailing_zeros
from skat_env.solvers.klaverjas._follow cimport beating, beats, legal_cards, suit
from skat_env.solvers.klaverjas._layout cimport TRUMPS, Layout, layout
from skat_env.solvers.klaverjas._order cimport KILLER, score_follow, score_lead
from skat_env.solvers.klaverjas._roem cimport max_roem, roem_of
from skat_env.solvers._candidates cimport candidate, card_of, score_of, take_best, twins_of
from skat_env.solvers._limits cimport Limits, limits_reached
from skat_env.solvers._table cimport (
    Table, table_bucket, table_entry, table_find, table_lower, table_place, table_tag, table_upper,
)

from skat_env.klaverjas import rules

cdef enum:
    DECLARERS_WIN = 1
    DEFENDERS_WIN = 2
    OUTCOMES = 3
    WIN = 10000             # above every value
    LOSE = -10000
    LOW_CARDS = 0x03070707  # 7 8 9 of plain suits, 7 8 of trumps
    PUT_BACK = 4000         # the score that the next card of a run has less
    OFFSET = 720            # makes half of any value, plus the points left, a bound of 0..2047

cdef const Layout* L = layout()
cdef int PIT = rules.PIT


cdef void search_start(Search* s, Table** tables, Limits* limits, const uint32_t* hands) noexcept nogil:
    """Sets up a search from the hands held, in labels; cards on the table are in no hand. The rules are left to the
    caller."""
    cdef int i
    for i in range(4):
        s.hands[i] = hands[i]
    for i in range(3):
        s.tables[i] = tables[i]
    s.limits = limits
    memset(s.killer, 0, sizeof(s.killer))
    find_twins(s)


cdef void find_twins(Search* s) noexcept nogil:
    """Fills `twins`."""
    cdef int lane, cards
    for lane in range(4):
        for cards in range(4 if lane == 3 else 8):
            s.twins[lane][cards] = twins_of(s.hands, 4, 8 * lane, cards)


cdef inline bint put_back(
    const Search* s, uint64_t* place, uint64_t move, int value, int need, bint may_win, bint may_lose, int* best
) noexcept nogil:
    """After a card of a run has failed, writes the run's next candidate, if any may help; with less score."""
    cdef int card = card_of(move)
    cdef uint32_t run = not_refuted(s, <uint32_t>move & ~bit(card), card, value, need, may_win, may_lose, best)
    if not run:
        return False
    place[0] = candidate(score_of(move) - PUT_BACK, top(run) if may_win else trailing_zeros(run), run)
    return True


cdef inline uint32_t not_refuted(
    const Search* s, uint32_t run, int card, int value, int need, bint may_win, bint may_lose, int* best
) noexcept nogil:
    """The cards of a run that may help where one of them has failed; what they bring at most goes into `best`.

    Values are the mover's here. Playing another card of the run, the same replies lead to the same tricks, with the two
    cards changed: a dearer card brings at most twice the difference more, and nothing if in the proof this trick always
    goes to the other side; a cheaper one too, and nothing if this trick always goes to the mover's side.
    """
    cdef uint32_t left = 0
    cdef int other, gain
    if s.aim == ROEM:
        return 0
    while run:
        other = trailing_zeros(run)
        run &= run - 1
        gain = L.points[other] - L.points[card]
        if gain > 0:
            gain = gain if may_win else 0
        else:
            gain = -gain if may_lose else 0
        if gain and (s.aim == EITHER or value + 2 * gain >= need):
            left |= bit(other)
        elif value + 2 * gain > best[0]:
            best[0] = value + 2 * gain
    return left


cdef inline int last_trick(const Search* s, int leader, int need, int spare, int rest, bint alive) noexcept nogil:
    """The value when every seat has one card, or none."""
    cdef int winner = leader
    cdef int i, winning, roem
    if not s.hands[leader]:
        if s.aim == DIFFERENCE:
            return PIT if alive else 0
        if s.aim == ROEM:
            return -PIT if alive else 0
        return WIN if need <= 0 or spare >= (PIT if alive else 0) else LOSE
    winning = trailing_zeros(s.hands[leader])
    for i in range(1, 4):
        if s.hands[(leader + i) & 3] & beating(winning):
            winner = (leader + i) & 3
            winning = trailing_zeros(s.hands[winner])
    roem = roem_of(L, s.four_jacks, s.hands[0] | s.hands[1] | s.hands[2] | s.hands[3])
    if s.aim == DIFFERENCE:
        return -rest - roem if winner & 1 else rest + roem + (PIT if alive else 0)
    if s.aim == EITHER and need <= (-rest - roem if winner & 1 else rest + roem):
        return WIN
    if alive and winner & 1:
        roem += PIT
    if s.aim == ROEM:
        return -roem
    return WIN if roem <= spare else LOSE


cdef int start(Search* s, int leader, int need, int spare, int rest, bint alive) noexcept nogil:
    """The value when a seat is to lead."""
    cdef Trick t
    cdef int roem_left
    if single(s.hands[leader]):
        return last_trick(s, leader, need, spare, rest, alive)
    roem_left = max_roem(L, s.four_jacks, s.hands, &t.melding)
    t.leader, t.need, t.spare, t.rest, t.alive = leader, need, spare, rest, alive
    if s.aim == EITHER:
        return start_either(s, &t, roem_left)
    return start_value(s, &t, roem_left)


cdef inline uint64_t key_of(const Search* s, const Trick* t) noexcept nogil:
    """What all keys have: of cards without points it matters only who has them, if none of their lane can be roem.

    Two positions with one key are worth the same: runs of low cards need the highest of them, which stands for itself
    alone, and four sevens or eights that can be roem are marked by a bit.
    """
    cdef uint32_t all = s.hands[0] | s.hands[1] | s.hands[2] | s.hands[3]
    cdef uint32_t low = t.melding & LOW_CARDS
    cdef uint32_t fixed = 7 * ((low | low >> 1 | low >> 2) & 0x01010101)
    cdef uint32_t twins = (s.twins[0][all & 7] | s.twins[1][all >> 8 & 7] | s.twins[2][all >> 16 & 7]
                           | s.twins[3][all >> 24 & 3])
    cdef uint64_t four = (low & low >> 8 & low >> 16 & low >> 24) != 0
    return (all & (fixed | ~LOW_CARDS)) | (twins & ~fixed) | <uint64_t>(t.leader | t.alive << 2 | four << 3) << 32


cdef inline bint takes_a_trick(const Search* s, int team) noexcept nogil:
    """Whether a team has the highest of all trumps."""
    cdef uint32_t ours = (s.hands[team] | s.hands[team + 2]) & TRUMPS
    return ours > ((s.hands[1 - team] | s.hands[3 - team]) & TRUMPS)


cdef int start_value(Search* s, Trick* t, int roem_left) noexcept nogil:
    """The value of an aim that is a number; `roem_left`: the most roem that can still be laid."""
    cdef Table* table = s.tables[s.aim]
    cdef uint64_t key, tag
    cdef uint64_t* entry
    cdef uint32_t declarers, defenders
    cdef int value, base
    cdef int upper, lower
    if t.alive and takes_a_trick(s, s.aim == DIFFERENCE):
        t.alive = False
    if s.aim == DIFFERENCE:
        upper = t.rest + roem_left + (PIT if t.alive else 0)
        lower = -t.rest - roem_left
        declarers = (s.hands[0] | s.hands[2]) & TRUMPS
        defenders = (s.hands[1] | s.hands[3]) & TRUMPS
        if declarers > defenders:
            lower += 2 * L.trump_points[(declarers & over(defenders)) >> 24]
        elif defenders:
            upper -= 2 * L.trump_points[(defenders & over(declarers)) >> 24]
        base = t.rest + 2 * OFFSET
    else:
        upper = 0
        lower = -roem_left - (PIT if t.alive else 0)
        base = 2 * OFFSET
    if lower >= t.need:
        return lower
    if upper < t.need:
        return upper
    if limits_reached(s.limits):
        return 0
    key = key_of(s, t)
    tag = table_tag(table, key)
    entry = table_find(table, table_bucket(table, key), tag)
    if entry is not NULL:
        lower = 2 * table_lower(table, entry[0]) - base
        upper = 2 * table_upper(table, entry[0]) - base
        if lower >= t.need:
            return lower
        if upper < t.need:
            return upper
    value = lead(s, t)
    if s.limits.stopped:
        return 0
    if value >= t.need:
        lower = value
    else:
        upper = value
    # The search below may have moved the entry.
    entry = table_place(table, key, tag)
    entry[0] = table_entry(table, tag, (lower + base) >> 1, (upper + base) >> 1)
    return value


cdef int start_either(Search* s, Trick* t, int roem_left) noexcept nogil:
    """WIN or LOSE; `roem_left`: the most roem that can still be laid."""
    cdef Table* table = s.tables[EITHER]
    cdef uint64_t key, tag
    cdef uint64_t* entry
    cdef int value
    if t.spare >= roem_left + (PIT if t.alive else 0) or t.need <= -t.rest - roem_left:
        return WIN
    if t.spare < 0:
        return decide(s, t, roem_left, DIFFERENCE)
    if t.need > t.rest + roem_left:
        return decide(s, t, roem_left, ROEM)
    if limits_reached(s.limits):
        return LOSE
    # The difference has the parity of the points, roem counts in tens.
    t.need += (t.need + t.rest) & 1
    key = (key_of(s, t) | <uint64_t>((t.need + t.rest >> 1) + OFFSET) << 36
           | <uint64_t>(t.spare // 10) << 47)
    tag = table_tag(table, key)
    entry = table_find(table, table_bucket(table, key), tag)
    if entry is not NULL:
        return WIN if table_lower(table, entry[0]) else LOSE
    value = lead(s, t)
    if s.limits.stopped:
        return LOSE
    entry = table_place(table, key, tag)
    entry[0] = table_entry(table, tag, value == WIN, 0)
    return value


cdef int decide(Search* s, const Trick* asked, int roem_left, int aim) noexcept nogil:
    """WIN or LOSE where only one of the two aims is left."""
    cdef Trick t = asked[0]
    cdef int value
    if aim == DIFFERENCE:
        t.alive = False
    else:
        t.need = -t.spare
    s.aim = aim
    value = start_value(s, &t, roem_left)
    s.aim = EITHER
    return WIN if value >= t.need else LOSE


cdef int lead(Search* s, const Trick* t) noexcept nogil:
    """The value over all leads."""
    cdef uint64_t moves[8]
    cdef uint64_t move
    cdef int leader = t.leader
    cdef uint32_t hand = s.hands[leader]
    cdef uint32_t others = s.hands[(leader + 1) & 3] | s.hands[(leader + 2) & 3] | s.hands[(leader + 3) & 3]
    cdef uint32_t* killer = &s.killer[leader][popcount(hand)]
    cdef int sign = -1 if leader & 1 else 1
    cdef int need = t.need if sign > 0 else 1 - t.need      # for the mover
    cdef int own = DEFENDERS_WIN if leader & 1 else DECLARERS_WIN
    cdef int best = LOSE
    cdef int count = 0
    cdef uint32_t todo = hand
    cdef uint32_t run
    cdef int card, score, result, value
    while todo:
        card = top(todo)
        run = bit(card)
        if not t.melding & run:
            run = run_of(hand, others, suit(card), card) & ~t.melding & todo
        todo &= ~run
        card = score_lead(L, s, t, leader, run, &score)
        if run & killer[0]:
            score += KILLER
        moves[count] = candidate(score, card, run)
        count += 1
    while count:
        move = take_best(moves, count)
        count -= 1
        card = card_of(move)
        s.hands[leader] = hand ^ bit(card)
        result = follow(s, t, 1, card, card, leader, bit(card), L.points[card])
        s.hands[leader] = hand
        if s.limits.stopped:
            return 0
        value = sign * (result >> 2)
        if value >= need:
            killer[0] = bit(card)
            return result >> 2
        best = max(best, value)
        count += put_back(s, moves + count, move, value, need, result & own, result & (own ^ OUTCOMES), &best)
    return sign * best


cdef int follow(
    Search* s, const Trick* t, int position, int led, int winning, int winner, uint32_t trick, int points
) noexcept nogil:
    """The value and the outcomes over all cards at place `position` (1..3) of a trick; `winning`, of the seat `winner`,
    wins it so far, `trick` are its cards, `points` their points."""
    cdef uint64_t moves[8]
    cdef uint64_t move
    cdef int seat = (t.leader + position) & 3
    cdef uint32_t hand = s.hands[seat]
    cdef uint32_t others = bit(winning) | s.hands[(seat + 1) & 3] | s.hands[(seat + 2) & 3] | s.hands[(seat + 3) & 3]
    cdef uint32_t beat = beating(winning)
    cdef int sign = -1 if seat & 1 else 1
    cdef int need = t.need if sign > 0 else 1 - t.need
    cdef int own = DEFENDERS_WIN if seat & 1 else DECLARERS_WIN
    cdef int best = LOSE
    cdef int outcomes = 0
    cdef int count = 0
    cdef uint32_t todo = legal_cards(s.amsterdam, hand, led, winning, winner == seat ^ 2)
    cdef uint32_t run
    cdef int card, score, result, value
    if single(todo):
        s.hands[seat] = hand ^ todo
        card = trailing_zeros(todo)
        result = after(s, t, position, led, winning, winner, trick, points, seat, card, beat)
        s.hands[seat] = hand
        return result
    while todo:
        card = top(todo)
        run = bit(card)
        if not t.melding & run:
            run = run_of(hand, others, suit(card), card) & ~t.melding & todo
        todo &= ~run
        card = score_follow(L, s, t, position, led, winning, winner, trick, seat, run, beat, &score)
        # Who takes the trick is known to the last seat: of a run it needs the dearest or the cheapest card.
        moves[count] = candidate(score, card, 0 if position == 3 else run)
        count += 1
    while count:
        move = take_best(moves, count)
        count -= 1
        card = card_of(move)
        s.hands[seat] = hand ^ bit(card)
        result = after(s, t, position, led, winning, winner, trick, points, seat, card, beat)
        s.hands[seat] = hand
        if s.limits.stopped:
            return 0
        value = sign * (result >> 2)
        if value >= need:
            return result
        outcomes |= result & OUTCOMES
        best = max(best, value)
        if position < 3:
            count += put_back(s, moves + count, move, value, need, result & own, result & (own ^ OUTCOMES), &best)
    return sign * best * 4 | outcomes


cdef inline int after(
    Search* s, const Trick* t, int position, int led, int winning, int winner, uint32_t trick, int points, int seat,
    int card, uint32_t beat
) noexcept nogil:
    """What follows a card of a trick."""
    if beat >> card & 1:
        winning = card
        winner = seat
    if position < 3:
        return follow(s, t, position + 1, led, winning, winner, trick | bit(card), points + L.points[card])
    return end_trick(s, t, winner, trick | bit(card), points + L.points[card])


cdef int end_trick(Search* s, const Trick* t, int winner, uint32_t trick, int points) noexcept nogil:
    """What follows the fourth card of a trick."""
    cdef int roem = roem_of(L, s.four_jacks, trick)
    cdef int value, gain
    if not s.hands[winner]:
        points = t.rest
    gain = -points - roem if winner & 1 else points + roem
    if s.aim == DIFFERENCE:
        value = gain + start(s, winner, t.need - gain, 0, t.rest - points, t.alive and not winner & 1)
    elif s.aim == ROEM:
        value = -roem + start(s, winner, t.need + roem, 0, t.rest - points, t.alive and winner & 1)
    else:
        value = start(s, winner, t.need - gain, t.spare - roem, t.rest - points, t.alive and winner & 1)
    return value * 4 | (DEFENDERS_WIN if winner & 1 else DECLARERS_WIN)


cdef int resume(Search* s, const Trick* t, int on_table, const uint8_t* cards) noexcept nogil:
    """The value with 1, 2 or 3 cards on the table."""
    cdef int winning = cards[0]
    cdef int winner = t.leader
    cdef int i
    cdef int points = 0
    cdef uint32_t trick = 0
    for i in range(on_table):
        if beats(cards[i], winning):
            winning = cards[i]
            winner = (t.leader + i) & 3
        trick |= bit(cards[i])
        points += L.points[cards[i]]
    return follow(s, t, on_table, cards[0], winning, winner, trick, points) >> 2
