"""Klaverjas' cards relabelled for a trump suit, so that the place of a bit shows the strength of its card.

Lane i, bits 8i .. 8i + 7, holds a suit from its lowest card to its highest: 7 8 9 J Q K T A in lanes 0..2, the plain
suits, and 7 8 Q K T A 9 J in lane 3, the trumps. A card beats another of its lane, and a trump one of another lane,
exactly if its number is higher. *Natural* labels have the same lanes, each in the order 7 8 9 T J Q K A of sequences.
"""

from libc.stdint cimport uint8_t, uint32_t

cdef enum:
    TRUMPS = 0xFF000000


ctypedef struct Layout:
    # What all trump suits share.
    uint8_t points[32]              # card points by label
    uint8_t rank[32]                # label -> rank of skat_env.cards
    uint8_t trump_points[256]       # by the trumps of a set: their card points
    uint8_t natural[256]            # by the trumps of a set: the same in natural order
    uint8_t strength[256]           # by trumps in natural order: the same in order of strength
    uint8_t plain_runs[256]         # by the cards of a plain lane in a trick: roem for a sequence
    uint8_t trump_runs[256]         # by the trumps in a trick: roem for a sequence and stuk
    uint8_t stuk                    # roem for king and queen of trumps
    uint8_t four_of_a_kind          # roem for four cards of a rank but jacks
    uint8_t runs_left[2048]         # by the lowest cards of possible runs of three (6 bits) and four (5 bits) in
                                    # natural order: the most that such runs can bring together


ctypedef struct Labels:
    # The labels of one trump suit.
    uint8_t card[32]                # label -> card of skat_env.cards
    uint8_t label[32]               # card -> label


cdef const Layout* layout() noexcept nogil
cdef const Labels* labels_of(int trump) noexcept nogil


cdef inline uint32_t relabel(const Labels* labels, uint32_t mask) noexcept nogil:
    """A set of cards in labels."""
    cdef uint32_t out = 0
    cdef int card
    for card in range(32):
        out |= (mask >> card & 1) << labels.label[card]
    return out


cdef inline uint32_t natural_of(const Layout* l, uint32_t labels) noexcept nogil:
    """A set in natural labels: in plain lanes the ten goes down three places, jack to king go up one."""
    return (labels & 0x00878787 | (labels & 0x00383838) << 1 | (labels & 0x00404040) >> 3
            | <uint32_t>l.natural[labels >> 24] << 24)


cdef inline uint32_t strength_of(const Layout* l, uint32_t natural) noexcept nogil:
    """The set of natural labels in labels."""
    return (natural & 0x00878787 | natural >> 1 & 0x00383838 | (natural & 0x00080808) << 3
            | <uint32_t>l.strength[natural >> 24] << 24)
