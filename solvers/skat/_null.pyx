"""Search of null games: does the soloist take a trick? (Then it is caught.)

Three facts make the tree small.

A lower card in place of a higher one never hurts the soloist: it can play it wherever it would have played the other,
and among the defenders' cards it changes nothing. So of the cards of a suit with which it surely ducks, it plays the
highest, and of those that it may throw away too.

Only who owns the cards of a suit, from low to high, matters. The table's keys have for the cards left in each suit
the lowest cards with the same owners (`canon`): one entry serves all positions that differ in dead cards only.

If in every suit the soloist's i-th card from below is lower than the defenders' i-th, it ducks for ever while they
lead (`safe`): to a lead of their j-th card it plays its highest below it, which is its j-th or a higher one, and the
order of what is left is the same.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

from skat_env._bits cimport below, bit, popcount, run_of, top, trailing_zeros
from skat_env.solvers._candidates cimport candidate, card_of, take_best
from skat_env.solvers._limits cimport Limits, limits_reached
from skat_env.solvers.skat._seats cimport left_of, right_of
from skat_env.solvers._table cimport (
    Table, table_bucket, table_entry, table_find, table_lower, table_place, table_tag,
)


cdef void null_start(NullSearch* s, Table* table, Limits* limits, int soloist, const uint32_t* hands) noexcept nogil:
    """Sets up a search from the hands held, in labels; cards on the table are in no hand."""
    cdef uint32_t lane_cards, cards, rest
    cdef uint32_t owned[3]
    cdef int lane, seat, card, owner, place, last
    cdef uint8_t following[3][9]    # seat, card + 1 -> the lowest card above that it owns (absent: 8)
    s.table = table
    s.limits = limits
    s.soloist = soloist
    for seat in range(3):
        s.hands[seat] = hands[seat]
    for lane in range(4):
        for seat in range(3):
            owned[seat] = hands[seat] >> (8 * lane) & 255
            last = 8
            for card in range(7, -1, -1):
                following[seat][card + 1] = last
                if owned[seat] >> card & 1:
                    last = card
            following[seat][0] = last
        lane_cards = owned[0] | owned[1] | owned[2]
        s.canon[lane][0] = 0
        s.safe[lane][0] = 1
        cards = (0 - lane_cards) & lane_cards
        while cards:
            card = top(cards)
            rest = cards & below(card)
            owner = 0 if owned[0] >> card & 1 else 1 if owned[1] >> card & 1 else 2
            place = top(s.canon[lane][rest]) + 1 if rest else 0
            s.canon[lane][cards] = s.canon[lane][rest] | 1 << following[owner][place]
            # Its i-th card is lower than their i-th if at most i - 1 of theirs are below it.
            s.safe[lane][cards] = s.safe[lane][rest] and (
                owner != soloist or 2 * popcount(rest & owned[soloist]) >= popcount(rest)
            )
            cards = (cards - lane_cards) & lane_cards


cdef inline uint32_t suit(int card) noexcept nogil:
    return <uint32_t>0xFF << (card & 24)


cdef bint start(NullSearch* s, int leader) noexcept nogil:
    """Whether the soloist is caught when a seat is to lead."""
    cdef uint32_t all = s.hands[0] | s.hands[1] | s.hands[2]
    cdef uint64_t key, tag
    cdef uint64_t* bucket
    cdef uint64_t* entry
    cdef bint caught
    if not all:
        return False
    if leader != s.soloist and (
        s.safe[0][all & 255] & s.safe[1][all >> 8 & 255] & s.safe[2][all >> 16 & 255] & s.safe[3][all >> 24]
    ):
        return False
    if limits_reached(s.limits):
        return False
    key = (s.canon[0][all & 255] | <uint32_t>s.canon[1][all >> 8 & 255] << 8
           | <uint32_t>s.canon[2][all >> 16 & 255] << 16 | <uint32_t>s.canon[3][all >> 24] << 24
           | <uint64_t>leader << 32)
    bucket = table_bucket(s.table, key)
    tag = table_tag(s.table, key)
    entry = table_find(s.table, bucket, tag)
    if entry is not NULL:
        return table_lower(s.table, entry[0])
    if leader == s.soloist:
        caught = soloist_leads(s, leader)
    else:
        caught = defender_leads(s, leader)
    if not s.limits.stopped:
        entry = table_place(s.table, key, tag)
        entry[0] = table_entry(s.table, tag, caught, 0)
    return caught


cdef bint soloist_leads(NullSearch* s, int seat) noexcept nogil:
    cdef uint64_t moves[4]
    cdef int count = 0
    cdef uint32_t hand = s.hands[seat]
    cdef uint32_t first = s.hands[left_of(seat)]
    cdef uint32_t other = s.hands[right_of(seat)]
    cdef uint32_t lane_mask, duck, all
    cdef int lane, card
    cdef bint caught
    all = hand | first | other
    for lane in range(4):
        lane_mask = <uint32_t>0xFF << (8 * lane)
        # It loses the lead if a defender has the suit and nothing below.
        duck = 0
        if first & lane_mask:
            duck = below(trailing_zeros(first & lane_mask))
        if other & lane_mask:
            duck |= below(trailing_zeros(other & lane_mask))
        duck &= hand & lane_mask
        if duck:
            card = top(duck)
            moves[count] = candidate(20 * (1 - s.safe[lane][all >> (8 * lane) & 255]) + card % 8, card, 0)
            count += 1
    while count:
        card = card_of(take_best(moves, count))
        count -= 1
        s.hands[seat] = hand ^ bit(card)
        caught = second(s, seat, card)
        s.hands[seat] = hand
        if s.limits.stopped or not caught:
            return False
    return True


cdef bint defender_leads(NullSearch* s, int seat) noexcept nogil:
    cdef uint64_t moves[10]
    cdef int count = 0
    cdef uint32_t hand = s.hands[seat]
    cdef uint32_t solo = s.hands[s.soloist]
    cdef uint32_t partner = s.hands[3 - seat - s.soloist]
    cdef uint32_t others = solo | partner
    cdef uint32_t all = hand | others
    cdef uint32_t todo = hand
    cdef uint32_t run
    cdef int card, score, lane
    cdef bint caught
    while todo:
        card = top(todo)
        run = run_of(hand, others, suit(card), card)
        todo &= ~run
        lane = card >> 3
        score = -(card & 7)
        if solo & suit(card):
            score += 20
            if not s.safe[lane][all >> (8 * lane) & 255]:
                score += 40
            if not solo & suit(card) & below(card):
                score += 100
        moves[count] = candidate(score, card, 0)
        count += 1
    while count:
        card = card_of(take_best(moves, count))
        count -= 1
        s.hands[seat] = hand ^ bit(card)
        caught = second(s, seat, card)
        s.hands[seat] = hand
        if s.limits.stopped:
            return False
        if caught:
            return True
    return False


cdef inline bint soloist_discards(
    NullSearch* s, int leader, int led, int winner, int winning, bint last
) noexcept nogil:
    """The soloist cannot follow: from each suit it would throw its highest card away."""
    cdef uint64_t moves[4]
    cdef int count = 0
    cdef int seat = s.soloist
    cdef uint32_t hand = s.hands[seat]
    cdef uint32_t all = s.hands[0] | s.hands[1] | s.hands[2]
    cdef int lane, card
    cdef bint caught
    for lane in range(4):
        if hand >> (8 * lane) & 255:
            card = top(hand & (<uint32_t>0xFF << (8 * lane)))
            moves[count] = candidate(20 * (1 - s.safe[lane][all >> (8 * lane) & 255]) + card % 8, card, 0)
            count += 1
    while count:
        card = card_of(take_best(moves, count))
        count -= 1
        s.hands[seat] = hand ^ bit(card)
        caught = start(s, winner) if last else third(s, leader, led, winner, winning)
        s.hands[seat] = hand
        if s.limits.stopped or not caught:
            return False
    return True


cdef bint second(NullSearch* s, int leader, int led) noexcept nogil:
    cdef uint64_t moves[10]
    cdef int count = 0
    cdef int seat = left_of(leader)
    cdef uint32_t hand = s.hands[seat]
    cdef uint32_t last_hand = s.hands[right_of(leader)]
    cdef uint32_t follow = hand & suit(led)
    cdef uint32_t others, todo, run, duck
    cdef int card, score
    cdef bint caught
    if seat == s.soloist:
        if not follow:
            return soloist_discards(s, leader, led, leader, led, False)
        # It ducks below the lead, or below cards that the third seat must play.
        duck = below(led)
        if last_hand & suit(led):
            duck |= below(trailing_zeros(last_hand & suit(led)))
        follow &= duck
        if not follow:
            return True
        card = top(follow)
        s.hands[seat] = hand ^ bit(card)
        if card > led:
            caught = third(s, leader, led, seat, card)
        else:
            caught = third(s, leader, led, leader, led)
        s.hands[seat] = hand
        return caught
    others = s.hands[leader] | last_hand | bit(led)
    todo = follow if follow else hand
    while todo:
        card = top(todo)
        run = run_of(hand, others, suit(card), card)
        todo &= ~run
        if leader == s.soloist:
            score = 100 - (card & 7) if card < led or not follow else card & 7
        elif follow:
            # The soloist plays third: what is low may not be ducked.
            score = -(card & 7)
        else:
            score = card & 7
        moves[count] = candidate(score, card, 0)
        count += 1
    while count:
        card = card_of(take_best(moves, count))
        count -= 1
        s.hands[seat] = hand ^ bit(card)
        if follow and card > led:
            caught = third(s, leader, led, seat, card)
        else:
            caught = third(s, leader, led, leader, led)
        s.hands[seat] = hand
        if s.limits.stopped:
            return False
        if caught:
            return True
    return False


cdef bint third(NullSearch* s, int leader, int led, int winner, int winning) noexcept nogil:
    cdef uint64_t moves[10]
    cdef int count = 0
    cdef int seat = right_of(leader)
    cdef uint32_t hand = s.hands[seat]
    cdef uint32_t follow = hand & suit(led)
    cdef uint32_t others, todo, run
    cdef int card
    cdef bint caught
    if seat == s.soloist:
        if not follow:
            return soloist_discards(s, leader, led, winner, winning, True)
        follow &= below(winning)
        if not follow:
            return True
        s.hands[seat] = hand ^ bit(top(follow))
        caught = start(s, winner)
        s.hands[seat] = hand
        return caught
    if winner == s.soloist and (not follow or follow & below(winning)):
        return True
    others = s.hands[leader] | s.hands[left_of(leader)] | bit(winning)
    todo = follow if follow else hand
    while todo:
        card = top(todo)
        run = run_of(hand, others, suit(card), card)
        todo &= ~run
        moves[count] = candidate(card & 7, card, 0)
        count += 1
    while count:
        card = card_of(take_best(moves, count))
        count -= 1
        s.hands[seat] = hand ^ bit(card)
        caught = start(s, seat if follow and card > winning else winner)
        s.hands[seat] = hand
        if s.limits.stopped:
            return False
        if caught:
            return True
    return False


cdef bint null_search(NullSearch* s, int leader, int on_table, const uint8_t* cards) noexcept nogil:
    """Whether the soloist is caught from a position with 0, 1 or 2 cards on the table."""
    if on_table == 0:
        return start(s, leader)
    if on_table == 1:
        return second(s, leader, cards[0])
    if suit(cards[0]) >> cards[1] & 1 and cards[1] > cards[0]:
        return third(s, leader, cards[0], left_of(leader), cards[1])
    return third(s, leader, cards[0], leader, cards[0])
