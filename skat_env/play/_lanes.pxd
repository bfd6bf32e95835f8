"""Players made of networks, as games played in lanes ask them."""

from libc.stdint cimport uint32_t, uint64_t

from skat_env._position cimport Kernel


cdef enum:
    FORCED = -1         # there is a single legal action
    ASKED = -2          # the agent itself is asked, in Python


ctypedef struct Generator:
    # numpy's interface of a random generator in C, `bitgen_t`.
    void* state
    uint64_t (*next_uint64)(void* state) noexcept nogil
    uint32_t (*next_uint32)(void* state) noexcept nogil
    double (*next_double)(void* state) noexcept nogil
    uint64_t (*next_raw)(void* state) noexcept nogil


ctypedef struct Turn:
    # What a player is asked to decide.
    const Kernel* kernel
    const void* state       # whole; the player uses what the view of `seat` holds
    int seat
    int stage               # index into the game's stages
    uint64_t legal          # the legal actions
    Generator* rng          # of the seat; NULL if the player does not draw


ctypedef struct Choice:
    # What a player decides: the C form of a Decision. It comes empty: no value, no weights, all weights 0.
    int action
    bint weighed            # whether it has weights
    bint valued             # whether it has a value
    float weights[64]       # by action
    double value


cdef class LanePlayer:
    # The answers to a question are rows of floats: the outputs of its networks.
    cdef readonly tuple encoders        # by question, the Encoder whose rows its networks read
    cdef readonly tuple widths          # by question, floats of an answer
    cdef readonly bint draws            # whether it draws random numbers
    cdef int question(self, const Turn* turn) noexcept      # the question that decides; FORCED, ASKED
    cdef int answer(self, int question, const float* rows, Py_ssize_t count, float* out) except -1
    cdef int choose(self, int question, const Turn* turn, const float* answer, Choice* out) except -1


cdef double drawn(const Turn* turn) noexcept
