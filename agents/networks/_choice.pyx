"""Choice among the legal outputs of a network by their probabilities, in C: the twin of `choice`."""

from libc.math cimport expf
from libc.stdint cimport uint8_t

from skat_env._encoder cimport Encoder
from skat_env.play._lanes cimport Choice, Turn, drawn

cdef enum:
    CARDS = 32


cdef void masked(const float* logits, const uint8_t* legal, int count, float* chances) noexcept:
    """Softmax over the legal outputs, of which there is one at least; 0 elsewhere."""
    cdef float best = 0
    cdef float total = 0
    cdef bint found = False
    cdef int i
    for i in range(count):
        if legal[i] and (not found or logits[i] > best):
            best = logits[i]
            found = True
    for i in range(count):
        chances[i] = expf(logits[i] - best) if legal[i] else 0
        total += chances[i]
    for i in range(count):
        chances[i] /= total


cdef int chosen(const float* chances, int count, bint draws, const Turn* turn) noexcept:
    """The most probable output, or one drawn by the seat's generator."""
    cdef int i, best = 0
    cdef double total = 0
    cdef double point
    if not draws:
        for i in range(1, count):
            if chances[i] > chances[best]:
                best = i
        return best
    for i in range(count):
        total += chances[i]
    point = drawn(turn) * total
    total = 0
    for i in range(count):
        total += chances[i]
        if total > point:
            return i
    return count - 1


cdef void choose_card(Encoder encoder, const float* logits, bint draws, const Turn* turn, Choice* out) noexcept:
    """A legal card, by logits in the encoder's numbering; the weights are the chances."""
    cdef uint8_t labels[CARDS]
    cdef uint8_t legal[CARDS]
    cdef float ordered[CARDS]
    cdef int card
    if encoder.label != NULL:
        encoder.label(turn.state, turn.seat, labels)
    for card in range(CARDS):
        legal[card] = turn.legal >> card & 1
        ordered[card] = logits[labels[card] if encoder.label != NULL else card]
    masked(ordered, legal, CARDS, out.weights)
    out.weighed = True
    out.action = chosen(out.weights, CARDS, draws, turn)
