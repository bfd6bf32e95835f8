"""What a side surely gets from a position between tricks, without a search.

Each of these is a way to play that the other side cannot stop, so it bounds the value. Points are card points. To the
points of the cards that surely take tricks come those that the others must add to these tricks, at least their
cheapest. """

from libc.stdint cimport uint32_t

from skat_env._bits cimport above, below, lowest, over, popcount, top, trailing_zeros
from skat_env.solvers.skat._search cimport Search
from skat_env.solvers.skat._seats cimport left_of, right_of


cdef enum:
    # Cards in the layout of suit and grand games; jacks are the last four.
    ACES = 0x08102040
    TENS = 0x04081020
    KINGS = 0x02040810
    QUEENS = 0x01020408
    FIRST_JACK = 28


cdef inline int points_in(uint32_t labels) noexcept nogil:
    """Card points of a set in the layout of suit and grand games."""
    return (11 * popcount(labels & ACES) + 10 * popcount(labels & TENS) + 4 * popcount(labels & KINGS)
            + 3 * popcount(labels & QUEENS) + 2 * popcount(labels >> FIRST_JACK))


cdef inline int smaller(int a, int b) noexcept nogil:
    return a if a < b else b


cdef inline int cheapest_points(uint32_t hand, int count) noexcept nogil:
    """Card points of the cheapest `count` cards of a hand: all but those of the dearest."""
    cdef int dearest = popcount(hand) - count
    cdef int points = points_in(hand)
    cdef int some = smaller(dearest, popcount(hand & ACES))
    points -= 11 * some
    dearest -= some
    some = smaller(dearest, popcount(hand & TENS))
    points -= 10 * some
    dearest -= some
    some = smaller(dearest, popcount(hand & KINGS))
    points -= 4 * some
    dearest -= some
    some = smaller(dearest, popcount(hand & QUEENS))
    points -= 3 * some
    dearest -= some
    return points - 2 * smaller(dearest, popcount(hand >> FIRST_JACK))


cdef inline int soloist_takes(const Search* s, uint32_t sure, int rest) noexcept nogil:
    """What the soloist gets at least if each of the cards `sure` of its takes a trick, of the `rest` that is left."""
    cdef int tricks = popcount(sure)
    if sure == s.hands[s.soloist]:
        return rest
    return (points_in(sure) + cheapest_points(s.hands[left_of(s.soloist)], tricks)
            + cheapest_points(s.hands[right_of(s.soloist)], tricks))


cdef inline int soloist_cashes(const Search* s, int rest) noexcept nogil:
    """What the soloist surely gets when it is to lead, of the `rest` that is left.

    It leads the trumps above all others, then the plain cards that nobody beats or ruffs: a defender who may have
    trumps left cannot ruff while it follows. Where no defender has any, all its trumps take tricks, and the winners of
    a suit clear the way for the rest of it if no defender has more cards of it.
    """
    cdef uint32_t hand = s.hands[s.soloist]
    cdef uint32_t a = s.hands[left_of(s.soloist)]
    cdef uint32_t b = s.hands[right_of(s.soloist)]
    cdef uint32_t plain = hand & ~s.trumps
    cdef uint32_t sure = hand & s.trumps & over((a | b) & s.trumps)
    cdef uint32_t group, winners
    cdef int drawn = popcount(sure)
    cdef bint a_ruffs = popcount(a & s.trumps) > drawn
    cdef bint b_ruffs = popcount(b & s.trumps) > drawn
    cdef int rounds, length_a, length_b
    if not a_ruffs and not b_ruffs:
        sure = hand & s.trumps
    while plain:
        group = s.group[top(plain)]
        plain &= ~group
        winners = hand & group & over((a | b) & group)
        rounds = popcount(winners)
        length_a = popcount(a & group)
        length_b = popcount(b & group)
        if a_ruffs or b_ruffs:
            if a_ruffs:
                rounds = smaller(rounds, length_a)
            if b_ruffs:
                rounds = smaller(rounds, length_b)
            winners &= ~lowest(winners, popcount(winners) - rounds)
        elif rounds >= length_a and rounds >= length_b:
            winners = hand & group
        sure |= winners
    return soloist_takes(s, sure, rest)


cdef inline int soloist_keeps(const Search* s, int rest) noexcept nogil:
    """What the soloist surely gets when a defender is to lead, of the `rest` that is left.

    Its trumps above all others win the tricks to which they are played. If they are more than the trumps of either
    defender, all its trumps do: one takes the lead, at the latest when it has nothing else, and the others draw theirs.
    If no defender has trumps, it gets what it gets with the lead: until it ruffs or plays the best card of a suit it
    follows with cards of suits of which it has not the best, and these are not counted.
    """
    cdef uint32_t a = s.hands[left_of(s.soloist)] & s.trumps
    cdef uint32_t b = s.hands[right_of(s.soloist)] & s.trumps
    cdef uint32_t trumps = s.hands[s.soloist] & s.trumps
    cdef uint32_t best = trumps & over(a | b)
    cdef int entries = popcount(best)
    if not best:
        return 0
    if not a | b:
        return soloist_cashes(s, rest)
    return soloist_takes(s, trumps if entries > popcount(a) and entries > popcount(b) else best, rest)


cdef inline int defenders_cash(const Search* s, int leader, int rest) noexcept nogil:
    """What the defenders surely get when one of them is to lead, of the `rest` that is left.

    Their trumps above all of the soloist's win tricks at any time. Besides, the leader leads plain cards above the
    soloist's: as many of a suit as the soloist must follow, if it has trumps. Its partner must not take the lead: in
    each round it plays a card below, if it has one above, and it must not run out of plain cards. (Where it cannot
    follow it throws cards away that are above, while it has any.) The partner gives the dearest cards that it can.
    """
    cdef uint32_t hand = s.hands[leader]
    cdef uint32_t solo = s.hands[s.soloist]
    cdef uint32_t partner = s.hands[3 - leader - s.soloist]
    cdef uint32_t plain = hand & ~s.trumps
    cdef uint32_t sure = (hand | partner) & s.trumps & over(solo & s.trumps)
    cdef uint32_t cashed = 0
    cdef uint32_t given = 0
    cdef uint32_t group, winners, under
    cdef int rounds, length, low
    cdef int tricks = popcount(sure & hand)
    cdef bint ruffs = (solo & s.trumps) != 0
    while plain:
        group = s.group[top(plain)]
        plain &= ~group
        winners = hand & group & over(solo & group)
        rounds = popcount(winners)
        length = popcount(solo & group)
        if ruffs and rounds > length:
            winners &= ~lowest(winners, rounds - length)
            rounds = length
        while rounds:
            low = trailing_zeros(winners)
            under = partner & group & below(low)
            if not partner & group & above(low) or popcount(under) >= rounds:
                cashed |= winners
                given |= under & ~lowest(under, popcount(under) - smaller(rounds, popcount(under)))
                break
            winners &= winners - 1
            rounds -= 1
    if cashed and (not partner & s.trumps or popcount(partner & ~s.trumps) >= popcount(cashed)):
        if cashed == hand:
            return rest
        sure |= cashed | given
        tricks += popcount(cashed)
    return points_in(sure) + cheapest_points(solo, tricks)


cdef inline int defenders_keep(const Search* s) noexcept nogil:
    """What the defenders surely get when the soloist is to lead: their trumps above all of its win tricks."""
    cdef uint32_t trumps = (s.hands[left_of(s.soloist)] | s.hands[right_of(s.soloist)]) & s.trumps
    return points_in(trumps & over(s.hands[s.soloist] & s.trumps))
