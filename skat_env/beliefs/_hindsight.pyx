"""Replaying a game that one seat has seen in many worlds at once, to know what the others saw at their decisions."""

cimport cython
from libc.math cimport exp, log, INFINITY
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from skat_env._encoder cimport Encoder
from skat_env._position cimport Kernel, Position, redeal
from skat_env._bits cimport trailing_zeros

import numpy as np

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #include <string.h>

    typedef float skat_env_eight __attribute__((vector_size(32)));
    typedef int32_t skat_env_masks __attribute__((vector_size(32)));
    typedef int64_t skat_env_quarters __attribute__((vector_size(32)));
    typedef float skat_env_floats __attribute__((vector_size(32), aligned(4), may_alias));
    typedef int32_t skat_env_words __attribute__((vector_size(32), aligned(4), may_alias));
    #define SKAT_ENV_WHERE(mask, x) ((skat_env_eight)((mask) & (skat_env_masks)(x)))

    /* exp(x) of eight numbers from -87 to 0, within two units of the last place: x = n ln 2 + r, and the series of
       exp(r) for |r| <= ln 2 / 2. */
    static inline skat_env_eight skat_env_exp(skat_env_eight x)
    {
        const skat_env_eight shifted = x * 1.44269504f + 12582912.0f;   /* 1.5 * 2^23 leaves n in the last bits */
        const skat_env_eight n = shifted - 12582912.0f;
        const skat_env_eight r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
        skat_env_eight p = r * (1 / 5040.0f) + 1 / 720.0f;
        p = p * r + 1 / 120.0f;
        p = p * r + 1 / 24.0f;
        p = p * r + 1 / 6.0f;
        p = p * r + 0.5f;
        p = p * r + 1.0f;
        p = p * r + 1.0f;
        return p * (skat_env_eight)(((skat_env_masks)shifted - 0x4B400000 + 127) << 23);
    }

    /* Which of eight outputs need nothing that is missing. */
    static inline skat_env_masks skat_env_has(const int32_t* low, const int32_t* high, int32_t no_low, int32_t no_high)
    {
        return ((*(const skat_env_words*)low & no_low) | (*(const skat_env_words*)high & no_high)) == 0;
    }

    /* The sums of exp(logits - the largest) over the outputs within `legal`, and over those within `did`, too; less
       than exp(-87) is 0. `count` is a multiple of 8; `low` and `high` are the halves of what the outputs need. */
    static void skat_env_odds(
        const float* logits, const int32_t* low, const int32_t* high, int count, uint64_t legal, uint64_t did,
        float* total, float* share)
    {
        const int32_t no_low = (int32_t)~legal, no_high = (int32_t)(~legal >> 32);
        const int32_t not_low = (int32_t)~did, not_high = (int32_t)(~did >> 32);
        const skat_env_eight none = {};
        skat_env_eight most = none - INFINITY, all = none, some = none;
        for (int i = 0; i < count; i += 8) {
            const skat_env_eight x = *(const skat_env_floats*)(logits + i);
            const skat_env_masks better = skat_env_has(low + i, high + i, no_low, no_high) & (x > most);
            most = SKAT_ENV_WHERE(better, x) + SKAT_ENV_WHERE(~better, most);
        }
        for (int half = 4; half; half /= 2)
            for (int j = 0; j < half; j++) most[j] = most[j] > most[j + half] ? most[j] : most[j + half];
        const float largest = most[0];
        for (int i = 0; i < count; i += 8) {
            const skat_env_eight apart = *(const skat_env_floats*)(logits + i) - largest;
            /* NaN passes: its sum is NaN, too. */
            const skat_env_masks kept = skat_env_has(low + i, high + i, no_low, no_high) & ~(apart < -87.0f);
            const skat_env_quarters any = (skat_env_quarters)kept;
            if (!(any[0] | any[1] | any[2] | any[3])) continue;     /* most discards are of cards that are not there */
            const skat_env_eight odds = SKAT_ENV_WHERE(kept, skat_env_exp(SKAT_ENV_WHERE(kept, apart)));
            all += odds;
            some += SKAT_ENV_WHERE(skat_env_has(low + i, high + i, not_low, not_high), odds);
        }
        *total = ((all[0] + all[4]) + (all[1] + all[5])) + ((all[2] + all[6]) + (all[3] + all[7]));
        *share = ((some[0] + some[4]) + (some[1] + some[5])) + ((some[2] + some[6]) + (some[3] + some[7]));
    }

    #define SKAT_ENV_WORDS 8        /* words of a set of outputs */

    /* Copies the outputs within `legal` and what they need, and returns their number. `users` has the set of outputs
       that need each item, and `needed` all items that any needs. */
    static int skat_env_within(
        const float* restrict logits, const int32_t* restrict low, const int32_t* restrict high, int count,
        const uint64_t (*restrict users)[SKAT_ENV_WORDS], uint64_t needed, uint64_t legal,
        float* restrict some, int32_t* restrict some_low, int32_t* restrict some_high)
    {
        uint64_t missing[SKAT_ENV_WORDS] = { 0 };
        int found = 0;
        for (uint64_t left = needed & ~legal; left; left &= left - 1) {
            const uint64_t* user = users[__builtin_ctzll(left)];
            for (int word = 0; word < SKAT_ENV_WORDS; word++) missing[word] |= user[word];
        }
        for (int first = 0; first < count; first += 64) {
            uint64_t left = ~missing[first / 64];
            if (count - first < 64) left &= ((uint64_t)1 << (count - first)) - 1;
            for (; left; left &= left - 1, found++) {
                const int output = first + __builtin_ctzll(left);
                some[found] = logits[output];
                some_low[found] = low[output];
                some_high[found] = high[output];
            }
        }
        return found;
    }
    """
    int outputs_within "skat_env_within"(
        const float*, const int32_t*, const int32_t*, int, const uint64_t (*)[8], uint64_t, uint64_t, float*, int32_t*,
        int32_t*
    ) noexcept nogil
    void odds_of "skat_env_odds"(
        const float*, const int32_t*, const int32_t*, int, uint64_t, uint64_t, float*, float*
    ) noexcept nogil

cdef enum:
    MAX_ACTIONS = 256
    HIDDEN = 255        # in a view's history, a card that the seat did not see
    LANES = 8           # outputs that are looked at together
    WORDS = 8           # as above
    FEW = 64            # outputs from which those that are legal are picked out first: most discards are of other cards

cdef float LEAST = 1e-30    # shares below it are taken in doubles: floats end at exp(-87)


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
        if (
            features.shape[0] != self.n or features.shape[1] != width or legal.shape[0] != self.n
            or did.shape[0] != self.n
        ):
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
    cdef Py_ssize_t i
    cdef Py_ssize_t n = logits.shape[0]
    cdef Py_ssize_t outputs = logits.shape[1]
    cdef float total = 0
    cdef float share = 0
    if needs.shape[0] != outputs or legal.shape[0] != n or did.shape[0] != n:
        raise ValueError(
            f"got logits [{n}, {outputs}], needs [{needs.shape[0]}], legal [{legal.shape[0]}] and did [{did.shape[0]}]"
        )
    chances = np.empty(n)
    cdef double[::1] out = chances
    cdef Py_ssize_t padded = (outputs + LANES - 1) // LANES * LANES
    cdef float[::1] row = np.full(padded + LANES, -np.inf, np.float32)
    halves = np.zeros((4, padded + LANES), np.uint32)
    halves[0, :outputs] = np.asarray(needs) & np.uint64(0xFFFFFFFF)
    halves[1, :outputs] = np.asarray(needs) >> np.uint64(32)
    cdef int32_t[:, ::1] half = halves.view(np.int32)
    cdef bint picks = FEW < outputs <= 64 * WORDS
    cdef uint64_t[64][WORDS] users
    cdef uint64_t needed = 0
    cdef uint64_t left
    cdef int count
    memset(users, 0, sizeof(users))
    for i in range(outputs if picks else 0):
        needed |= needs[i]
        left = needs[i]
        while left:
            users[trailing_zeros(left)][i // 64] |= <uint64_t>1 << i % 64
            left &= left - 1
    with nogil:
        for i in range(n):
            if picks:
                count = outputs_within(
                    &logits[i, 0], &half[0, 0], &half[1, 0], <int>outputs, users, needed, legal[i],
                    &row[0], &half[2, 0], &half[3, 0],
                )
                while count % LANES:
                    row[count] = -INFINITY
                    count += 1
                odds_of(&row[0], &half[2, 0], &half[3, 0], count, legal[i], did[i], &total, &share)
            else:
                memcpy(&row[0], &logits[i, 0], outputs * sizeof(float))
                odds_of(&row[0], &half[0, 0], &half[1, 0], <int>padded, legal[i], did[i], &total, &share)
            out[i] = log(<double>share / total) if share > LEAST else log_chance(logits[i], needs, legal[i], did[i])
    return chances


cdef double log_chance(const float[::1] logits, const uint64_t[::1] needs, uint64_t legal, uint64_t did) noexcept nogil:
    """A row of `log_chances` in doubles."""
    cdef double most = -INFINITY
    cdef double total = 0
    cdef double share = 0
    cdef double odds
    cdef Py_ssize_t output
    for output in range(logits.shape[0]):
        if not needs[output] & ~legal:
            most = max(most, <double>logits[output])
    for output in range(logits.shape[0]):
        if not needs[output] & ~legal:
            odds = exp(logits[output] - most)
            total += odds
            share += 0 if needs[output] & ~did else odds
    return log(share / total)
