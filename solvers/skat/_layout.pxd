"""Cards relabelled for a contract, so that the place of a bit shows the strength of its card.

In suit and grand games lane i, bits 7i .. 7i + 6, holds 7 8 9 Q K T A of a plain suit, the trump suit being the
last lane; bits 28..31 are the jacks of D H S C: the trumps are one run at the top. In null games a lane is 8 bits
long and holds 7 8 9 T J Q K A. Everywhere, a card beats another of its group exactly if its number is higher.
"""

from libc.stdint cimport uint8_t, uint32_t

cdef enum:
    RICH_MASK = 0x0F1E3C78      # queens, kings, tens, aces, lane by lane (suit and grand)


ctypedef struct Layout:
    uint32_t group[32]          # the cards that follow a card, itself included
    uint8_t points[32]          # card points (null: 0)
    uint32_t trumps             # all trumps
    uint8_t card[32]            # label -> card of skat_env.cards
    uint8_t label[32]           # card -> label
    uint32_t labels[4][256]     # byte of a card mask -> labels, for `relabel`


cdef const Layout* layout_of(int contract) noexcept nogil


cdef inline uint32_t relabel(const Layout* layout, uint32_t mask) noexcept nogil:
    """A set of cards in labels."""
    return (layout.labels[0][mask & 255] | layout.labels[1][mask >> 8 & 255]
            | layout.labels[2][mask >> 16 & 255] | layout.labels[3][mask >> 24])
