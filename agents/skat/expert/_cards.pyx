"""What cards do in a situation: which ones take the trick, stand or are cheap, and whether others may beat them."""

from libc.stdint cimport uint32_t

from skat_env.agents.skat.expert._situation cimport (
    DIAMOND_JACK, GRAND_GAME, NOTHING, SUIT_RANKS, Situation, beats, group_cards, group_of, points_of, stronger,
)
from skat_env._bits cimport popcount, trailing_zeros

cdef enum:
    FULL = 10           # card points from which a card is full: tens and aces

cdef float SAFE = 0.45          # a trick is expected to hold if the chance that it is taken is at most this
cdef float SOLOIST_TRUMPS = 0.72    # the share of the hidden trumps that an opponent expects with the soloist


cdef bint follows(const Situation* s) noexcept nogil:
    """Whether the player has a card of the group led."""
    return s.hand & group_cards(s, group_of(s, s.led)) != 0


cdef uint32_t opened_suits(const Situation* s) noexcept nogil:
    """All cards of the plain suits that the opponents have led."""
    cdef uint32_t cards = 0
    cdef int suit
    for suit in range(s.plain):
        if s.opened >> suit & 1:
            cards |= group_cards(s, suit)
    return cards


cdef uint32_t over_best(const Situation* s) noexcept nogil:
    """The legal cards that take the trick; none for a player who leads."""
    cdef uint32_t found = 0, rest = s.legal
    if s.led == NOTHING:
        return 0
    while rest:
        if beats(s, trailing_zeros(rest), s.best):
            found |= rest & (0 - rest)
        rest &= rest - 1
    return found


cdef uint32_t full_cards(const Situation* s, uint32_t cards) noexcept nogil:
    """The tens and aces of a set."""
    cdef uint32_t found = 0
    while cards:
        if points_of(s, trailing_zeros(cards)) >= FULL:
            found |= cards & (0 - cards)
        cards &= cards - 1
    return found


cdef uint32_t standing(const Situation* s, uint32_t cards) noexcept nogil:
    """The cards of a set that no hidden card of their group beats."""
    cdef uint32_t found = 0
    while cards:
        if not stronger(s, trailing_zeros(cards)) & s.hidden:
            found |= cards & (0 - cards)
        cards &= cards - 1
    return found


cdef uint32_t safe(const Situation* s, uint32_t cards, int behind) noexcept nogil:
    """The cards of a set that the player behind is not expected to beat."""
    cdef uint32_t found = 0
    while cards:
        if expected_to_stand(s, behind, trailing_zeros(cards)):
            found |= cards & (0 - cards)
        cards &= cards - 1
    return found


cdef float cost(const Situation* s, int code) noexcept nogil:
    """What a card is worth in hand, in card points: a jack more than a king, less than a ten."""
    if code >= DIAMOND_JACK:
        return 6 + 0.3 * (code - DIAMOND_JACK)
    return points_of(s, code) + 0.05 * (code % SUIT_RANKS) + (1.5 if code >= s.first_trump else 0)


cdef int cheapest(const Situation* s, uint32_t cards) noexcept nogil:
    """The card of a set that is worth least in hand."""
    cdef int best = trailing_zeros(cards), code
    while cards:
        code = trailing_zeros(cards)
        if cost(s, code) < cost(s, best):
            best = code
        cards &= cards - 1
    return best


cdef int dearest(const Situation* s, uint32_t cards) noexcept nogil:
    """The card of most points of a set, the weakest of such."""
    cdef int best = trailing_zeros(cards), code
    while cards:
        code = trailing_zeros(cards)
        if points_of(s, code) > points_of(s, best):
            best = code
        cards &= cards - 1
    return best


cdef int dearest_low(const Situation* s, uint32_t trumps) noexcept nogil:
    """The trump of most points of a set, jacks last."""
    cdef uint32_t low = trumps & (((<uint32_t>1 << SUIT_RANKS) - 1) << s.first_trump) if s.kind != GRAND_GAME else 0
    return dearest(s, low) if low else trailing_zeros(trumps)


cdef float holds(const Situation* s, int seat, uint32_t cards) noexcept nogil:
    """The chance that another seat holds one or more of some cards."""
    cdef int other = 3 - s.seat - seat
    cdef int in_skat = popcount(s.hidden) - s.left[seat] - s.left[other]
    cdef uint32_t may = cards & s.could[seat], sure = may & ~s.could[other]
    cdef int trumps = popcount(s.hidden & s.trumps), plain = popcount(s.hidden & ~s.trumps)
    cdef float of_trumps, of_plain, lacks = 1
    if not may:
        return 0
    if sure and (in_skat == 0 or (s.picked_up and sure & s.trumps)):  # a soloist discards no trump
        return 1
    if s.seat == s.soloist or trumps == 0:
        of_trumps = of_plain = <float>s.left[seat] / (s.left[seat] + s.left[other] + in_skat)
    else:
        of_trumps = SOLOIST_TRUMPS if seat == s.soloist else 1 - SOLOIST_TRUMPS
        of_trumps = min(of_trumps, <float>s.left[seat] / trumps)
        of_plain = (s.left[seat] - of_trumps * trumps) / plain if plain else 0
        of_plain = min(max(of_plain, 0.03), 0.97)
    for _ in range(popcount(may & s.trumps)):
        lacks *= 1 - of_trumps
    for _ in range(popcount(may & ~s.trumps)):
        lacks *= 1 - of_plain
    return 1 - lacks


cdef float beaten(const Situation* s, int seat, int code) noexcept nogil:
    """The chance that a seat still to play beats a code, in the trick as it is."""
    cdef int group = group_of(s, s.led)
    cdef float void
    if group == s.plain:
        return holds(s, seat, stronger(s, code))
    void = 1 - holds(s, seat, group_cards(s, group))
    if code >= s.first_trump:
        return void * holds(s, seat, stronger(s, code))
    return void * holds(s, seat, s.trumps) + (1 - void) * holds(s, seat, stronger(s, code))


cdef bint expected_to_stand(const Situation* s, int seat, int code) noexcept nogil:
    """Whether a seat still to play is not expected to beat a code."""
    return beaten(s, seat, code) <= SAFE


cdef bint expected_to_fall(const Situation* s, int seat, int code) noexcept nogil:
    """Whether a seat still to play is expected to beat a code."""
    return beaten(s, seat, code) >= 1 - SAFE
