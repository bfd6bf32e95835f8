"""What cards do in a situation, for the reactive players."""

from libc.stdint cimport uint32_t

from skat_env.agents.skat.expert._situation cimport Situation

cdef bint follows(const Situation* s) noexcept nogil
cdef uint32_t opened_suits(const Situation* s) noexcept nogil
cdef uint32_t over_best(const Situation* s) noexcept nogil
cdef uint32_t full_cards(const Situation* s, uint32_t cards) noexcept nogil
cdef uint32_t standing(const Situation* s, uint32_t cards) noexcept nogil
cdef uint32_t safe(const Situation* s, uint32_t cards, int behind) noexcept nogil
cdef int cheapest(const Situation* s, uint32_t cards) noexcept nogil
cdef int dearest(const Situation* s, uint32_t cards) noexcept nogil
cdef int dearest_low(const Situation* s, uint32_t trumps) noexcept nogil
cdef bint expected_to_stand(const Situation* s, int seat, int code) noexcept nogil
cdef bint expected_to_fall(const Situation* s, int seat, int code) noexcept nogil
