"""The observation of Skat, written in the same way from a state or a view."""

from libc.stdint cimport int8_t

from skat_env.skat._rules cimport SkatData

cdef void observe(const SkatData* s, int seat, int8_t* out) noexcept nogil
