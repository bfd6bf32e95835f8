"""Choice among the legal outputs of a network by their probabilities, in C: the twin of `choice`."""

from libc.stdint cimport uint8_t

from skat_env._encoder cimport Encoder
from skat_env.play._lanes cimport Choice, Turn

cdef void masked(const float* logits, const uint8_t* legal, int count, float* chances) noexcept
cdef int chosen(const float* chances, int count, bint draws, const Turn* turn) noexcept
cdef void choose_card(Encoder encoder, const float* logits, bint draws, const Turn* turn, Choice* out) noexcept
