"""Replaying a game that one seat has seen in many worlds at once, to know what the others saw at their decisions."""

cimport cython
from libc.math cimport exp, log, INFINITY
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from skat_env._encoder cimport Encoder
from skat_env._position cimport Kernel, Position, redeal
from skat_env._bits cimport trailing_zeros

import numpy as np

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #include <string.h>

    /* out[i] = exp(x[i]) of numbers from -700 to 0, within two units of the last place. Plain arithmetic of doubles, so
       that the compiler takes several at a time: x = n ln 2 + r, and the series of exp(r) for |r| <= ln 2 / 2. */
    static void skat_env_exp(const double* restrict x, int count, double* restrict out)
    {
        const double round = 6755399441055744.0;    /* 1.5 * 2^52: adding it leaves n in the last bits */
        for (int i = 0; i < count; i++) {
            const double shifted = x[i] * 1.4426950408889634 + round;
            const double n = shifted - round;
            const double r = (x[i] - n * 0.693147180369123816490) - n * 1.90821492927058770002e-10;
            double p = 1.0 / 6227020800.0;
            p = p * r + 1.0 / 479001600.0;
            p = p * r + 1.0 / 39916800.0;
            p = p * r + 1.0 / 3628800.0;
            p = p * r + 1.0 / 362880.0;
            p = p * r + 1.0 / 40320.0;
            p = p * r + 1.0 / 5040.0;
            p = p * r + 1.0 / 720.0;
            p = p * r + 1.0 / 120.0;
            p = p * r + 1.0 / 24.0;
            p = p * r + 1.0 / 6.0;
            p = p * r + 0.5;
            p = p * r + 1.0;
            p = p * r + 1.0;
            int64_t bits, power;
            memcpy(&bits, &shifted, 8);
            power = (int64_t)((uint64_t)(bits - 0x4338000000000000LL + 1023) << 52);
            double two;
            memcpy(&two, &power, 8);
            out[i] = p * two;
        }
    }
    """
    void exp_of "skat_env_exp"(const double*, int, double*) noexcept nogil

cdef enum:
    MAX_ACTIONS = 256
    HIDDEN = 255        # in a view's history, a card that the seat did not see

cdef double LEAST = -700    # the least number whose exp is well above the smallest doubles


@cython.final
cdef class Replays:
    """The game of a view, replayed in many worlds, at the same step in all."""

    cdef const Kernel* kernel
    cdef char* states               # n structs
    cdef uint32_t[::1] hidden       # [n] cards hidden in the history that are not replayed yet
    cdef uint8_t[MAX_ACTIONS] history
    cdef int length
    cdef Py_ssize_t n
    cdef type positions             # class of the view
    cdef readonly int step          # number of actions replayed

    def __cinit__(
        self, Position view not None, const uint32_t[::1] world not None, const uint32_t[:, ::1] dealt not None,
        const uint32_t[::1] hidden not None,
    ):
        cdef Py_ssize_t i
        cdef uint64_t stream = 0
        cdef int length
        cdef char* start
        self.kernel = view.kernel
        self.positions = type(view)
        self.n = dealt.shape[0]
        self.hidden = np.array(hidden)
        if world.shape[0] != self.kernel.places or dealt.shape[1] != self.kernel.places or hidden.shape[0] != self.n:
            raise ValueError(
                f"got a world [{world.shape[0]}], deals [{self.n}, {dealt.shape[1]}] and hidden cards "
                f"[{hidden.shape[0]}]: expected {self.kernel.places} places, and as many deals as hidden cards"
            )
        memcpy(self.history, self.kernel.history(view.data, &self.length), self.kernel.max_actions)
        self.states = <char*>malloc(max(1, self.n) * self.kernel.size)
        if not self.states:
            raise MemoryError()
        if not self.n:
            return
        with nogil:
            start = self.states
            memcpy(start, view.data, self.kernel.size)
            self.kernel.complete(start, &world[0], &stream)
            self.kernel.history(start, &length)
            while length:
                self.kernel.pop(start)
                length -= 1
            for i in range(self.n):
                if i:
                    memcpy(start + i * self.kernel.size, start, self.kernel.size)
                redeal(self.kernel, start + i * self.kernel.size, &dealt[i, 0])

    def __dealloc__(self):
        free(self.states)

    def advance(self, int step):
        """Replays actions up to a step."""
        cdef Py_ssize_t i
        cdef int at, action
        cdef char* s
        if not self.step <= step <= self.length:
            raise ValueError(f"cannot play on from step {self.step} to step {step} of {self.length}")
        with nogil:
            for i in range(self.n):
                s = self.states + i * self.kernel.size
                for at in range(self.step, step):
                    action = self.history[at]
                    if action == HIDDEN:
                        action = trailing_zeros(self.hidden[i])
                        self.hidden[i] &= self.hidden[i] - 1
                    self.kernel.push(s, action)
        self.step = step

    def write(
        self, Encoder encoder not None, float[:, ::1] features not None, uint64_t[::1] legal not None,
        uint64_t[::1] did not None,
    ):
        """Writes the features of the seat to act in each world; returns which columns differ between worlds."""
        cdef Py_ssize_t i, column
        cdef Py_ssize_t width = encoder.width
        cdef int seat, card
        cdef uint64_t before, after
        cdef const char* s
        cdef uint8_t[32] labels
        cdef uint32_t* row
        cdef uint32_t* first
        cdef bint readable = True
        if not issubclass(self.positions, encoder.positions):
            raise ValueError(f"encoder {encoder.name} reads {encoder.scope}, not a {self.positions.__name__}")
        if features.shape[0] != self.n or features.shape[1] != width or legal.shape[0] != self.n or did.shape[0] != self.n:
            raise ValueError(f"features, legal and did are not [{self.n}, {width}], [{self.n}] and [{self.n}]")
        differs = np.zeros(width, np.uint32)
        cdef uint32_t[::1] differ = differs
        if not self.n:
            return differs > 0
        first = <uint32_t*>&features[0, 0]
        with nogil:
            for i in range(self.n):
                s = self.states + i * self.kernel.size
                seat = self.kernel.to_act(s)
                readable = seat >= 0 and encoder.reads(s, seat)
                if not readable:
                    break
                encoder.write(s, seat, &features[i, 0])
                row = <uint32_t*>&features[i, 0]
                for column in range(width):
                    differ[column] |= row[column] ^ first[column]
                legal[i] = self.kernel.legal(s)
                if encoder.label != NULL:
                    encoder.label(s, seat, labels)
                    before, after = legal[i], 0
                    while before:
                        card = trailing_zeros(before)
                        before &= before - 1
                        after |= <uint64_t>1 << labels[card]
                    legal[i] = after
                    before, after = did[i], 0
                    while before:
                        card = trailing_zeros(before)
                        before &= before - 1
                        after |= <uint64_t>1 << labels[card]
                    did[i] = after
        if not readable:
            raise ValueError(f"encoder {encoder.name} reads {encoder.scope}, not step {self.step} of this game")
        return differs > 0


def log_chances(
    const float[:, ::1] logits not None, const uint64_t[::1] needs not None, const uint64_t[::1] legal not None,
    const uint64_t[::1] did not None,
):
    """The log of the total softmax probability of the outputs within `did`, over those within `legal`."""
    cdef Py_ssize_t i, output
    cdef Py_ssize_t n = logits.shape[0]
    cdef Py_ssize_t outputs = logits.shape[1]
    cdef double most, least, total, share
    if needs.shape[0] != outputs or legal.shape[0] != n or did.shape[0] != n:
        raise ValueError(
            f"got logits [{n}, {outputs}], needs [{needs.shape[0]}], legal [{legal.shape[0]}] and did [{did.shape[0]}]"
        )
    chances = np.empty(n)
    cdef double[::1] out = chances
    cdef int* within = <int*>malloc(max(1, outputs) * sizeof(int))
    cdef double* apart = <double*>malloc(max(1, outputs) * sizeof(double))      # from the largest logit
    cdef double* odds = <double*>malloc(max(1, outputs) * sizeof(double))
    cdef int count, at
    if not within or not apart or not odds:
        free(within)
        free(apart)
        free(odds)
        raise MemoryError()
    with nogil:
        for i in range(n):
            count = 0
            for output in range(outputs):
                # Branchless: the branch would be unpredictable.
                within[count] = output
                count += not needs[output] & ~legal[i]
            most, least = -INFINITY, INFINITY
            for at in range(count):
                apart[at] = logits[i, within[at]]
                most = max(most, apart[at])
                least = min(least, apart[at])
            for at in range(count):
                apart[at] -= most
            if least - most >= LEAST:
                exp_of(apart, count, odds)
            else:   # also where a logit is not finite
                for at in range(count):
                    odds[at] = exp(apart[at])
            total = share = 0
            for at in range(count):
                total += odds[at]
                share += odds[at] * (not needs[within[at]] & ~did[i])
            out[i] = log(share / total)
    free(within)
    free(apart)
    free(odds)
    return chances
