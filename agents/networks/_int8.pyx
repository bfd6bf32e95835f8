"""Networks whose layers after the first multiply bytes: four times as many at a time as floats, and nearly as exact.

The weights of an output are rounded to 255 steps, the units of a row to 128, each in proportion to the largest of them.
Sums of their products are whole numbers, so every processor gives the same bits. Units have seven bits, not eight:
processors without VNNI add pairs of products in 16 bits, 2 * 127 * 127 at most. Those leave out the units that are 0;
with VNNI to multiply by 0 is faster than to find out.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint16_t, uint8_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from skat_env.agents.networks._evaluated cimport EvaluatedNetwork
from skat_env.agents.networks._rows cimport RowNetwork

import numpy as np

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #if defined(__x86_64__)
    #include <immintrin.h>
    #endif

    #define SKAT_ENV_OUTPUTS 32     /* sums of a layer that are taken at a time */
    #define SKAT_ENV_ROWS 8         /* rows that share the weights that are loaded */
    #define SKAT_ENV_STEP 4         /* products that are added at a time */

    /* Fills up to a multiple of 4 with zeros; returns how many fours. */
    static int skat_env_filled(int found, uint16_t* restrict at, uint8_t* restrict value)
    {
        for (; found % SKAT_ENV_STEP; found++) at[found] = value[found] = 0;
        return found / SKAT_ENV_STEP;
    }

    /* Collects the units that are not 0, and which they are, up to a multiple of 4; returns how many fours. */
    static int skat_env_collect_plain(
        const uint8_t* restrict units, int count, uint16_t* restrict at, uint8_t* restrict value)
    {
        int found = 0;
        for (int i = 0; i < count; i++) {
            at[found] = i;
            value[found] = units[i];
            found += units[i] != 0;
        }
        return skat_env_filled(found, at, value);
    }

    /* sums[output] = the sum of value[k] * weights[at[k]][output]. */
    static void skat_env_sum_plain(
        const int8_t* restrict weights, const uint16_t* restrict at, const uint8_t* restrict value, int fours,
        int32_t* restrict sums)
    {
        memset(sums, 0, SKAT_ENV_OUTPUTS * sizeof(int32_t));
        for (int k = 0; k < SKAT_ENV_STEP * fours; k++) {
            const int8_t* w = weights + SKAT_ENV_OUTPUTS * at[k];
            for (int output = 0; output < SKAT_ENV_OUTPUTS; output++) sums[output] += value[k] * w[output];
        }
    }
    #if defined(__x86_64__)
    /* Where the bits of a byte are, a byte for each. */
    static uint64_t skat_env_places[256];
    static void skat_env_find_places(void)
    {
        for (int bits = 0; bits < 256; bits++)
            for (int place = 0, found = 0; place < 8; place++)
                if (bits >> place & 1) skat_env_places[bits] |= (uint64_t)place << 8 * found++;
    }
    /* Eight units at a time, all of which are written on, and those that are not 0 kept. */
    __attribute__((target("avx2,popcnt")))
    static int skat_env_collect_256(
        const uint8_t* restrict units, int count, uint16_t* restrict at, uint8_t* restrict value)
    {
        int found = 0;
        for (int i = 0; i < count; i += 8) {
            const __m128i eight = _mm_loadl_epi64((const __m128i*)(units + i));
            const unsigned bits = _mm_movemask_epi8(_mm_cmpgt_epi8(eight, _mm_setzero_si128()));
            const __m128i places = _mm_loadl_epi64((const __m128i*)(skat_env_places + bits));
            _mm_storeu_si128((__m128i*)(at + found), _mm_add_epi16(_mm_cvtepu8_epi16(places), _mm_set1_epi16(i)));
            _mm_storel_epi64((__m128i*)(value + found), _mm_shuffle_epi8(eight, places));
            found += __builtin_popcount(bits);
        }
        return skat_env_filled(found, at, value);
    }
    #define SKAT_ENV_WEIGHTS(K) _mm256_loadu_si256((const __m256i*)(weights + SKAT_ENV_OUTPUTS * at[K]))
    #define SKAT_ENV_ADD_256(SUM, W) \
        SUM = _mm256_add_epi32(SUM, _mm256_madd_epi16(_mm256_maddubs_epi16(some, W), ones));
    #define SKAT_ENV_STORE_256(SUM, OUTPUT) \
        _mm_storeu_si128((__m128i*)(sums + OUTPUT), _mm256_castsi256_si128(SUM)); \
        _mm_storeu_si128((__m128i*)(sums + 16 + OUTPUT), _mm256_extracti128_si256(SUM, 1));
    __attribute__((target("avx2")))
    static void skat_env_sum_256(
        const int8_t* restrict weights, const uint16_t* restrict at, const uint8_t* restrict value, int fours,
        int32_t* restrict sums)
    {
        const __m256i ones = _mm256_set1_epi16(1);
        __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;
        for (int k = 0; k < fours; k++, at += SKAT_ENV_STEP) {
            int32_t four;
            memcpy(&four, value + SKAT_ENV_STEP * k, 4);
            const __m256i some = _mm256_set1_epi32(four);
            const __m256i p = SKAT_ENV_WEIGHTS(0), q = SKAT_ENV_WEIGHTS(1);
            const __m256i r = SKAT_ENV_WEIGHTS(2), s = SKAT_ENV_WEIGHTS(3);
            /* The four weights of an output side by side, in each half of a vector those of its own 16 outputs. */
            const __m256i v = _mm256_unpacklo_epi8(p, q), w = _mm256_unpacklo_epi8(r, s);
            const __m256i x = _mm256_unpackhi_epi8(p, q), y = _mm256_unpackhi_epi8(r, s);
            SKAT_ENV_ADD_256(a, _mm256_unpacklo_epi16(v, w)) SKAT_ENV_ADD_256(b, _mm256_unpackhi_epi16(v, w))
            SKAT_ENV_ADD_256(c, _mm256_unpacklo_epi16(x, y)) SKAT_ENV_ADD_256(d, _mm256_unpackhi_epi16(x, y))
        }
        SKAT_ENV_STORE_256(a, 0) SKAT_ENV_STORE_256(b, 4) SKAT_ENV_STORE_256(c, 8) SKAT_ENV_STORE_256(d, 12)
    }
    /* sums[row][output] = the sum of units[row * stride + i] * weights[i / 4][output][i % 4] over 4 * steps inputs. */
    #define SKAT_ENV_EACH_ROW(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
    #define SKAT_ENV_ZERO_512(R) __m512i a##R = _mm512_setzero_si512(), b##R = _mm512_setzero_si512();
    #define SKAT_ENV_ADD_512(R) { \
        int32_t four; \
        memcpy(&four, u + R * stride, 4); \
        const __m512i some = _mm512_set1_epi32(four); \
        a##R = _mm512_dpbusd_epi32(a##R, some, v); \
        b##R = _mm512_dpbusd_epi32(b##R, some, w); }
    #define SKAT_ENV_STORE_512(R) \
        _mm512_storeu_si512(sums[R], a##R); \
        _mm512_storeu_si512(sums[R] + 16, b##R);
    __attribute__((target("avx512f,avx512vnni")))
    static void skat_env_rows_512(
        const int8_t* restrict weights, const uint8_t* restrict units, int stride, int steps,
        int32_t sums[SKAT_ENV_ROWS][SKAT_ENV_OUTPUTS])
    {
        SKAT_ENV_EACH_ROW(SKAT_ENV_ZERO_512)
        for (int step = 0; step < steps; step++) {
            const uint8_t* u = units + SKAT_ENV_STEP * step;
            const __m512i v = _mm512_loadu_si512(weights), w = _mm512_loadu_si512(weights + 64);
            SKAT_ENV_EACH_ROW(SKAT_ENV_ADD_512)
            weights += SKAT_ENV_STEP * SKAT_ENV_OUTPUTS;
        }
        SKAT_ENV_EACH_ROW(SKAT_ENV_STORE_512)
    }
    #define skat_env_has_512 (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vnni"))
    #define skat_env_has_256 __builtin_cpu_supports("avx2")
    #else
    #define skat_env_collect_256 skat_env_collect_plain
    #define skat_env_sum_256 skat_env_sum_plain
    static void skat_env_find_places(void) { }
    static void skat_env_rows_512(
        const int8_t* weights, const uint8_t* units, int stride, int steps,
        int32_t sums[SKAT_ENV_ROWS][SKAT_ENV_OUTPUTS]) { }
    #define skat_env_has_512 0
    #define skat_env_has_256 0
    #endif

    /* Units above 0 as bytes, the largest as 127; returns the value of one step. `count` is a multiple of 32. */
    static float skat_env_rounded(const float* restrict x, int count, uint8_t* restrict units)
    {
        int32_t most[16] = { 0 };       /* floats that are not below 0 are ordered as their bits */
        for (int i = 0; i < count; i += 16)
            for (int j = 0; j < 16; j++) {
                int32_t bits;
                memcpy(&bits, x + i + j, 4);
                bits = x[i + j] == x[i + j] ? bits : 0x7FC00000;    /* NaN, whatever its sign, is above all */
                most[j] = bits > most[j] ? bits : most[j];
            }
        for (int j = 1; j < 16; j++) most[0] = most[j] > most[0] ? most[j] : most[0];
        float largest;
        memcpy(&largest, most, 4);
        const float times = largest > 0 ? 127 / largest : 0;
        for (int i = 0; i < count; i++) {
            /* Adding 1.5 * 2^23 leaves the nearest whole number in the last bits. */
            const float shifted = (x[i] > 0 ? x[i] : 0) * times + 12582912.0f;
            int32_t bits;
            memcpy(&bits, &shifted, 4);
            units[i] = (uint8_t)bits;
        }
        return largest / 127;
    }

    static void skat_env_scaled(
        const int32_t* restrict sums, const float* restrict scale, const float* restrict bias, float unit,
        float* restrict y)
    {
        for (int j = 0; j < SKAT_ENV_OUTPUTS; j++) y[j] = (float)sums[j] * (scale[j] * unit) + bias[j];
    }
    """
    void find_places "skat_env_find_places"()
    int collect_plain "skat_env_collect_plain"(const uint8_t*, int, uint16_t*, uint8_t*) noexcept nogil
    int collect_256 "skat_env_collect_256"(const uint8_t*, int, uint16_t*, uint8_t*) noexcept nogil
    void sum_plain "skat_env_sum_plain"(const int8_t*, const uint16_t*, const uint8_t*, int, int32_t*) noexcept nogil
    void sum_256 "skat_env_sum_256"(const int8_t*, const uint16_t*, const uint8_t*, int, int32_t*) noexcept nogil
    void rows_512 "skat_env_rows_512"(const int8_t*, const uint8_t*, int, int, int32_t (*)[32]) noexcept nogil
    float rounded "skat_env_rounded"(const float*, int, uint8_t*) noexcept nogil
    void scaled "skat_env_scaled"(const int32_t*, const float*, const float*, float, float*) noexcept nogil
    bint has_256 "skat_env_has_256"
    bint has_512 "skat_env_has_512"

cdef enum:
    BLOCK = 64          # rows that go through a layer together, so that its weights stay in the cache
    OUTPUTS = 32        # these three as above
    ROWS = 8
    STEP = 4
    EIGHT = 8           # units that may be written past the end of what is collected

BYTES = (*((64,) if has_512 else ()), *((32,) if has_256 else ()), 1)
"""The numbers of bytes that this processor multiplies at a time, the fastest first."""

find_places()

ctypedef int (*Collect)(const uint8_t*, int, uint16_t*, uint8_t*) noexcept nogil
ctypedef void (*Sum)(const int8_t*, const uint16_t*, const uint8_t*, int, int32_t*) noexcept nogil

cdef struct ByteLayer:
    int steps                   # inputs in parts of 4, the last ones 0
    int chunks                  # outputs in parts of 32, the last ones 0
    const int8_t* weights       # [chunks, inputs, 32]; for rows together [chunks, steps, 32, 4]
    const float* scale          # [chunks, 32]: the value of one step of a weight
    const float* bias           # [chunks, 32]


cdef class Int8Network(EvaluatedNetwork):
    """A network of linear layers with rectified units between them; those after the first multiply bytes."""

    cdef RowNetwork first
    cdef bint together          # whether rows are taken together, and all of their units
    cdef Collect collect        # for rows by themselves
    cdef Sum sum
    cdef int layers, widest
    cdef int64_t dense          # multiplications of bytes for a row, those by 0 included
    cdef ByteLayer* layer       # [layers]
    cdef list arrays            # keeps the memory of `layer`

    def __cinit__(self, network, int width=BYTES[0]):
        if width not in BYTES:
            raise ValueError(f"this processor multiplies {', '.join(map(str, BYTES))} bytes at a time, not {width}")
        if network.spec.activation != "relu" or network.spec.branch:
            raise ValueError("a network of bytes has rectified units and no branch")
        self.first = RowNetwork(network, layers=1)
        self.together = width == 64
        self.collect = collect_256 if width == 32 else collect_plain
        self.sum = sum_256 if width == 32 else sum_plain
        arrays = network.weights()
        self.layers = len(network.spec.hidden)
        self.spec, self.name, self.scale = network.spec, network.name, network.spec.scale
        self.inputs, self.outputs = network.encoder.width, network.spec.outputs
        self.layer = <ByteLayer*>calloc(max(1, self.layers), sizeof(ByteLayer))
        if not self.layer:
            raise MemoryError()
        self.arrays = []
        self.widest = (self.first.outputs + OUTPUTS - 1) // OUTPUTS * OUTPUTS
        cdef int i
        for i in range(self.layers):
            weights = arrays[f"{i + 1}.weight"]
            outputs, inputs = weights.shape
            # The units before it are padded to whole chunks.
            chunks, steps = -(-outputs // OUTPUTS), -(-inputs // OUTPUTS) * OUTPUTS // STEP
            padded = np.zeros((chunks * OUTPUTS, steps * STEP), np.float32)
            padded[:outputs, :inputs] = weights
            scale = np.abs(padded).max(axis=1) / np.float32(127)
            whole = np.rint(padded / np.where(scale > 0, scale, 1)[:, None]).astype(np.int8)
            shape = (chunks, OUTPUTS, steps, STEP) if self.together else (chunks, OUTPUTS, steps * STEP)
            whole = np.ascontiguousarray(np.swapaxes(whole.reshape(shape), 1, 2))
            bias = np.zeros(chunks * OUTPUTS, np.float32)
            bias[:outputs] = arrays[f"{i + 1}.bias"]
            self.dense += whole.size
            self.arrays += [whole, scale, bias]
            self.layer[i] = ByteLayer(
                steps, chunks, <int8_t*><size_t>whole.ctypes.data, <float*><size_t>scale.ctypes.data,
                <float*><size_t>bias.ctypes.data,
            )
            self.widest = max(self.widest, chunks * OUTPUTS)

    def __dealloc__(self):
        free(self.layer)

    cdef float[::1] fold(self, const float[:, ::1] rows, const uint8_t[::1] differ):
        return self.first.fold(rows, differ)

    cdef int evaluate_columns(
        self, const float* rows, Py_ssize_t count, float* out, Py_ssize_t out_stride, const uint16_t* some,
        const float* bias,
    ) except -1:
        cdef float[:, ::1] values = np.zeros((BLOCK, self.widest), np.float32)
        cdef uint8_t[:, ::1] units = np.zeros((BLOCK, self.widest), np.uint8)
        cdef uint16_t[::1] at = np.empty(self.widest + EIGHT, np.uint16)
        cdef uint8_t[::1] value = np.empty(self.widest + EIGHT, np.uint8)
        cdef Py_ssize_t begin = 0
        cdef Py_ssize_t block, row
        cdef int own = self.first.outputs
        cdef int padding = (own + OUTPUTS - 1) // OUTPUTS * OUTPUTS - own
        cdef int64_t products = self.first.products
        while begin < count:
            block = min(<Py_ssize_t>BLOCK, count - begin)
            self.first.evaluate_columns(
                rows + begin * self.inputs, block, &values[0, 0], self.widest, some, bias
            )
            with nogil:
                for row in range(block):    # later layers have written there
                    memset(&values[row, 0] + own, 0, padding * sizeof(float))
                self.later(&values[0, 0], &units[0, 0], &at[0], &value[0], block)
                for row in range(block):
                    memcpy(out + (begin + row) * out_stride, &values[row, 0], self.outputs * sizeof(float))
            begin += block
        self.rows += count
        self.products += self.first.products - products + count * self.dense
        return 0

    cdef void later(
        self, float* values, uint8_t* units, uint16_t* at, uint8_t* value, Py_ssize_t block
    ) noexcept nogil:
        """The layers after the first of up to 64 rows; reads the values of the first, writes those of the last.

        `units` has room for those of all rows, `at` and `value` for those of one.
        """
        cdef int number
        cdef Py_ssize_t row
        cdef float[BLOCK] unit
        cdef const ByteLayer* layer
        for number in range(self.layers):
            layer = &self.layer[number]
            for row in range(block):
                unit[row] = rounded(values + row * self.widest, STEP * layer.steps, units + row * self.widest)
            if self.together:
                self.layer_of_rows(layer, units, &unit[0], values, block)
                continue
            for row in range(block):
                self.layer_of_row(layer, units + row * self.widest, unit[row], at, value, values + row * self.widest)

    cdef void layer_of_row(
        self, const ByteLayer* layer, const uint8_t* units, float unit, uint16_t* at, uint8_t* value, float* values
    ) noexcept nogil:
        """A layer of one row, by its units that are not 0: a third to two thirds of them."""
        cdef int chunk
        cdef int32_t[OUTPUTS] sums
        cdef int inputs = STEP * layer.steps
        cdef int count = self.collect(units, inputs, at, value)
        for chunk in range(layer.chunks):
            self.sum(layer.weights + <Py_ssize_t>chunk * inputs * OUTPUTS, at, value, count, sums)
            scaled(sums, layer.scale + chunk * OUTPUTS, layer.bias + chunk * OUTPUTS, unit, values + chunk * OUTPUTS)

    cdef void layer_of_rows(
        self, const ByteLayer* layer, const uint8_t* units, const float* unit, float* values, Py_ssize_t block
    ) noexcept nogil:
        """A layer of all rows, by all of their units."""
        cdef int chunk
        cdef Py_ssize_t part, row, i
        cdef int32_t[ROWS][OUTPUTS] sums
        cdef const int8_t* weights
        for chunk in range(layer.chunks):
            weights = layer.weights + <Py_ssize_t>chunk * layer.steps * STEP * OUTPUTS
            for part in range((block + ROWS - 1) // ROWS):
                row = part * ROWS
                rows_512(weights, units + row * self.widest, self.widest, layer.steps, sums)
                for i in range(min(<Py_ssize_t>ROWS, block - row)):
                    scaled(
                        sums[i], layer.scale + chunk * OUTPUTS, layer.bias + chunk * OUTPUTS, unit[row + i],
                        values + (row + i) * self.widest + chunk * OUTPUTS,
                    )
