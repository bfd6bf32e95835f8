"""Suits relabelled, trumps first: what the encodings of seats and of worlds share."""

from libc.stdint cimport uint32_t

from skat_env.skat._rules cimport SkatData


cdef enum:
    STEPS = 24          # entries of the thermometers of card points, five points each


ctypedef struct Labels:
    int suits[4]        # the suit that stands at each place
    uint32_t jacks      # cards that keep their numbers

cdef Labels relabelling(const SkatData* s, uint32_t dealt, uint32_t skat) noexcept nogil


cdef inline uint32_t moved(uint32_t mask, const Labels* labels) noexcept nogil:
    """A mask with the cards renumbered."""
    cdef uint32_t plain = mask & ~labels.jacks
    cdef uint32_t out = mask & labels.jacks
    cdef int place
    for place in range(4):
        out |= (plain >> 8 * labels.suits[place] & 0xFF) << 8 * place
    return out


cdef inline uint32_t moved_suits(uint32_t bits, const Labels* labels) noexcept nogil:
    """Bits by suit in the new order; higher bits stay."""
    cdef uint32_t out = bits & ~<uint32_t>0xF
    cdef int place
    for place in range(4):
        out |= (bits >> labels.suits[place] & 1) << place
    return out


cdef inline float* write_steps(float* out, int points) noexcept nogil:
    """A thermometer of card points."""
    cdef int step
    for step in range(STEPS):
        out[step] = points >= 5 * (step + 1)
    return out + STEPS
