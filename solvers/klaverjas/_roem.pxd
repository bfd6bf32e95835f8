"""Roem of labelled cards: what a trick brings, and what is still possible."""

from libc.stdint cimport uint32_t

from skat_env._bits cimport popcount, trailing_zeros
from skat_env.solvers.klaverjas._layout cimport Layout, natural_of, strength_of

cdef enum:
    JACK = 4                # rank, and natural label in a lane


cdef inline int roem_of(const Layout* l, int four_jacks, uint32_t trick) noexcept nogil:
    """Roem of the four cards of a trick."""
    cdef int roem = (l.plain_runs[trick & 0xFF] + l.plain_runs[trick >> 8 & 0xFF] + l.plain_runs[trick >> 16 & 0xFF]
                     + l.trump_runs[trick >> 24])
    cdef uint32_t same = trick & trick >> 8 & trick >> 16 & 0xFF
    cdef int rank
    if same and trick >> 24:
        rank = l.rank[trailing_zeros(same)]
        if rank == l.rank[trailing_zeros(trick >> 24) + 24]:
            roem += four_jacks if rank == JACK else l.four_of_a_kind
    return roem


cdef inline int max_roem(
    const Layout* l, int four_jacks, const uint32_t* hands, uint32_t* melding
) noexcept nogil:
    """The most roem that can still be laid, all cards being in the hands; `melding` gets the cards of it.

    The cards of a sequence, of stuk or of four of a kind must all be there and in different hands.
    """
    cdef uint32_t all = 0
    cdef uint32_t next = 0          # natural labels whose card and the next one, or the one after that, or the third
                                    # one
    cdef uint32_t second = 0        # after it are in one hand
    cdef uint32_t third = 0
    cdef uint32_t kinds = 0xFF
    cdef uint32_t hand, threes, fours, cards
    cdef int seat
    cdef int roem = 0
    for seat in range(4):
        hand = natural_of(l, hands[seat])
        all |= hand
        next |= hand & hand >> 1
        second |= hand & hand >> 2
        third |= hand & hand >> 3
        cards = hand | hand >> 16
        kinds &= cards | cards >> 8
    threes = all & all >> 1 & all >> 2 & ~(next | next >> 1 | second) & 0x3F3F3F3F
    cards = 0
    if threes:
        fours = threes & threes >> 1 & ~third & 0x1F1F1F1F
        cards = threes | threes << 1 | threes << 2
        roem = (l.runs_left[threes & 63 | (fours & 31) << 6]
                + l.runs_left[threes >> 8 & 63 | (fours >> 8 & 31) << 6]
                + l.runs_left[threes >> 16 & 63 | (fours >> 16 & 31) << 6]
                + l.runs_left[threes >> 24 | fours >> 24 << 6])
    if (all >> 29 & 3) == 3 and not next >> 29 & 1:
        roem += l.stuk
        cards |= <uint32_t>3 << 29
    if kinds:
        roem += l.four_of_a_kind * popcount(kinds)
        if kinds >> JACK & 1:
            roem += four_jacks - l.four_of_a_kind
        cards |= kinds * 0x01010101
    melding[0] = strength_of(l, cards) if cards else 0
    return roem
