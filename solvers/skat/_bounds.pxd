"""What a side surely gets from a position between tricks, without a search.

Each of these is a way to play that the other side cannot stop, so it bounds the value. Points are card points.
"""

from libc.stdint cimport uint32_t

from skat_env._bits cimport above, below, lowest, over, popcount, top, trailing_zeros
from solvers.skat._search cimport Search
from solvers.skat._seats cimport left_of, right_of


cdef inline int points_in(uint32_t labels) noexcept nogil:
    """Card points of a set in the layout of suit and grand games."""
    return (11 * popcount(labels & 0x08102040) + 10 * popcount(labels & 0x04081020)
            + 4 * popcount(labels & 0x02040810) + 3 * popcount(labels & 0x01020408) + 2 * popcount(labels >> 28))


cdef inline int smaller(int a, int b) noexcept nogil:
    return a if a < b else b


cdef inline int top_trumps(const Search* s, uint32_t ours, uint32_t theirs) noexcept nogil:
    """Points of the trumps above all of the other side's: each wins the trick to which it is played."""
    return points_in(ours & s.trumps & over(theirs & s.trumps))


cdef inline int soloist_cashes(const Search* s, int rest) noexcept nogil:
    """What the soloist surely gets when he is to lead, of the `rest` that is left.

    He leads the trumps above all others, then the plain cards that nobody beats or ruffs: a defender who may have
    trumps left cannot ruff while he follows. Where no defender has any, the winners of a suit clear the way for the
    rest of it if no defender has more cards of it. All these tricks are the soloist's: of each suit that he leads, a
    defender loses as many cards as he has or as there are rounds, at least his cheapest. (With trumps that is counted
    only where he loses all, for the lowest trumps are not the cheapest.)
    """
    cdef uint32_t hand = s.hands[s.soloist]
    cdef uint32_t a = s.hands[left_of(s.soloist)]
    cdef uint32_t b = s.hands[right_of(s.soloist)]
    cdef uint32_t plain = hand & ~s.trumps
    cdef uint32_t sure = hand & s.trumps & over((a | b) & s.trumps)
    cdef uint32_t fallen = 0
    cdef uint32_t group, winners
    cdef int drawn = popcount(sure)
    cdef bint a_ruffs = popcount(a & s.trumps) > drawn
    cdef bint b_ruffs = popcount(b & s.trumps) > drawn
    cdef int rounds, length_a, length_b
    if not a_ruffs:
        fallen |= a & s.trumps
    if not b_ruffs:
        fallen |= b & s.trumps
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
            rounds = popcount(winners)
        sure |= winners
        fallen |= lowest(a & group, smaller(rounds, length_a)) | lowest(b & group, smaller(rounds, length_b))
    return rest if sure == hand else points_in(sure | fallen)


cdef inline int defenders_cash(const Search* s, int leader, int rest) noexcept nogil:
    """What the defenders surely get when one of them is to lead, of the `rest` that is left.

    Their trumps above all of the soloist's win tricks at any time. Besides, the leader leads plain cards above the
    soloist's: as many of a suit as the soloist must follow, if he has trumps. His partner must not take the lead: in
    each round he plays a card below, if he has one above, and he must not run out of plain cards. (Where he cannot
    follow he throws cards away that are above, while he has any.) The soloist loses at least his cheapest cards, and
    the partner gives the dearest that he can.
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
                given |= lowest(solo & group, smaller(rounds, length))
                given |= under & ~lowest(under, popcount(under) - smaller(rounds, popcount(under)))
                break
            winners &= winners - 1
            rounds -= 1
    if cashed and (not partner & s.trumps or popcount(partner & ~s.trumps) >= popcount(cashed)):
        if cashed == hand:
            return rest
        sure |= cashed | given
    return points_in(sure)
