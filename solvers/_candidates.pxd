"""The cards that a search is to try, each in one word: the score in the high bits, then the card, then its run.

A run is a set of cards of one hand that have none of the other hands' cards between them.
"""

from libc.stdint cimport uint32_t, uint64_t

from skat_env._bits cimport bit

cdef enum:
    SCORE_OFFSET = 32768        # added to a score, which may be negative


cdef inline uint64_t candidate(int score, int card, uint32_t run) noexcept nogil:
    """The word of a card; cards of equal score are tried from the highest number down."""
    return <uint64_t>(score + SCORE_OFFSET) << 40 | <uint64_t>card << 32 | run


cdef inline int card_of(uint64_t move) noexcept nogil:
    """The card of a candidate."""
    return move >> 32 & 63


cdef inline int score_of(uint64_t move) noexcept nogil:
    """The score of a candidate."""
    return <int>(move >> 40) - SCORE_OFFSET


cdef inline uint64_t take_best(uint64_t* moves, int count) noexcept nogil:
    """Takes the candidate of the highest score off the list; the last one fills its place."""
    cdef int i
    cdef int place = 0
    cdef uint64_t best = moves[0]
    for i in range(1, count):
        place ^= (place ^ i) & -<int>(moves[i] > best)
        best = max(best, moves[i])
    moves[place] = moves[count - 1]
    return best


cdef inline uint32_t twins_of(const uint32_t* hands, int seats, int first, int cards) noexcept nogil:
    """The lowest cards from `first` on that belong, from low to high, to the same hands as those of a set do.

    Bit i of `cards` is the card first + i; all of them are in the hands.
    """
    cdef uint32_t twins = 0
    cdef int twin = first
    cdef int card = first
    cdef int seat
    while cards:
        if cards & 1:
            for seat in range(seats):
                if hands[seat] >> card & 1:
                    while not hands[seat] >> twin & 1:
                        twin += 1
                    twins |= bit(twin)
                    twin += 1
        cards >>= 1
        card += 1
    return twins
