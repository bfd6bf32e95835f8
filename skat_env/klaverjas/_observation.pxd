"""The observation of Klaverjas, written in the same way from a state or a view."""

from libc.stdint cimport int8_t

from skat_env.klaverjas._rules cimport KlaverjasData

cdef void observe(const KlaverjasData* s, int seat, int8_t* out) noexcept nogil
