"""The observation of Klaverjas, written from a state or a view alike."""

from libc.stdint cimport int8_t

from skat_env.klaverjas._rules cimport KlaverjasData

cdef void observe(const KlaverjasData* s, int seat, int8_t* out) noexcept nogil
