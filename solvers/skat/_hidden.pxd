"""Where the cards that a player does not see may lie: for each place the cards that it may hold, and how many it takes.

Place 0 is the hand of the player after the viewer, place 1 the hand of the one after that, place 2 the skat.
"""

from libc.stdint cimport uint32_t

from skat_env._bits cimport popcount


cdef enum:
    HIDDEN_PLACES = 3


ctypedef struct Hidden:
    uint32_t can[3]             # cards that may lie at each place
    int size[3]                 # unseen cards at each place


cdef inline uint32_t unseen(const Hidden* h) noexcept nogil:
    """All cards that the viewer does not see."""
    return h.can[0] | h.can[1] | h.can[2]


cdef inline bint fill(Hidden* h, int places, uint32_t confined, int size) noexcept nogil:
    """If some places, as bits, are filled by the cards that can lie nowhere else, no other card lies there."""
    cdef int place
    cdef bint changed = False
    if popcount(confined) < size:
        return False
    for place in range(HIDDEN_PLACES):
        if places >> place & 1 and h.can[place] & ~confined:
            h.can[place] &= confined
            changed = True
    return changed


cdef inline bint settle(Hidden* h) noexcept nogil:
    """Removes each card from the places where it lies in no world; False: there is no world.

    By Hall's condition, a card may lie at a place unless some places, it among them, are filled by the cards that can
    lie nowhere else.
    """
    cdef uint32_t all_cards, a, b, c
    cdef bint changed = True
    if h.size[2] == 0:
        h.can[2] = 0
    all_cards = unseen(h)
    if popcount(all_cards) != h.size[0] + h.size[1] + h.size[2]:
        return False
    while changed:
        a = all_cards & ~(h.can[1] | h.can[2])
        b = all_cards & ~(h.can[0] | h.can[2])
        if popcount(a) > h.size[0] or popcount(b) > h.size[1]:
            return False
        changed = fill(h, 1, a, h.size[0])
        changed |= fill(h, 2, b, h.size[1])
        if h.size[2] == 0:
            continue
        a = all_cards & ~h.can[2]
        b = all_cards & ~h.can[1]
        c = all_cards & ~h.can[0]
        if (popcount(b & a) > h.size[0] or popcount(c & b) > h.size[2] or popcount(a) > h.size[0] + h.size[1]
                or popcount(b) > h.size[0] + h.size[2] or popcount(c) > h.size[1] + h.size[2]):
            return False
        changed |= fill(h, 4, c & b, h.size[2])
        changed |= fill(h, 3, a, h.size[0] + h.size[1])
        changed |= fill(h, 5, b, h.size[0] + h.size[2])
        changed |= fill(h, 6, c, h.size[1] + h.size[2])
    return True


cdef inline double choose(int n, int k) noexcept nogil:
    """The number of ways to choose k of n; 0 if there is none."""
    cdef double ways = 1
    cdef int i
    if k < 0 or k > n:
        return 0
    for i in range(k):
        ways = ways * (n - i) / (i + 1)
    return ways


cdef inline double worlds(const Hidden* h) noexcept nogil:
    """The number of ways to place the cards, exact below 2**53."""
    cdef uint32_t all_cards = unseen(h)
    cdef int some = popcount(all_cards & ~h.can[2]) - popcount(all_cards & ~h.can[2] & ~h.can[1]) \
        - popcount(all_cards & ~h.can[2] & ~h.can[0])                   # at place 0 or 1
    cdef int skat0 = popcount(h.can[0] & h.can[2] & ~h.can[1])          # at place 0 or 2
    cdef int skat1 = popcount(h.can[1] & h.can[2] & ~h.can[0])          # at place 1 or 2
    cdef int all3 = popcount(h.can[0] & h.can[1] & h.can[2])
    cdef int left = h.size[2] - popcount(all_cards & ~h.can[0] & ~h.can[1])
    cdef int own = h.size[0] - popcount(all_cards & ~h.can[1] & ~h.can[2])
    cdef int a, b
    cdef double total = 0
    # The skat takes a of the first kind, b of the second, the rest of the third; then place 0 fills up.
    for a in range(min(left, skat0) + 1):
        for b in range(min(left - a, skat1) + 1):
            total += choose(skat0, a) * choose(skat1, b) * choose(all3, left - a - b) * choose(
                some + all3 - (left - a - b), own - (skat0 - a))
    return total
