"""Which labelled cards of Klaverjas beat which, and which a hand may follow with."""

from libc.stdint cimport uint32_t

from skat_env._bits cimport above
from skat_env.solvers.klaverjas._layout cimport TRUMPS


cdef inline uint32_t suit(int card) noexcept nogil:
    """The cards of a card's suit."""
    return <uint32_t>0xFF << (card & 24)


cdef inline uint32_t beating(int card) noexcept nogil:
    """The cards that beat one that is winning the trick."""
    return above(card) & (suit(card) | TRUMPS)


cdef inline bint beats(int card, int winning) noexcept nogil:
    return beating(winning) >> card & 1


cdef inline uint32_t legal_cards(bint amsterdam, uint32_t hand, int led, int winning, bint partner) noexcept nogil:
    """The cards of a hand that may follow; `partner`: the one who wins so far."""
    cdef uint32_t follow = hand & suit(led)
    cdef uint32_t trumps = hand & TRUMPS
    cdef uint32_t higher
    if led >= 24:
        higher = follow & above(winning)
        return higher if higher else follow if follow else hand
    if follow:
        return follow
    if not trumps:
        return hand
    if winning < 24:
        return hand if amsterdam and partner else trumps
    higher = trumps & above(winning)
    if not amsterdam:
        return higher if higher else trumps
    if partner:
        higher |= hand & ~TRUMPS
        return higher if higher else hand
    if higher:
        return higher
    return hand & ~TRUMPS if hand & ~TRUMPS else hand
