"""Networks evaluated in C, each row by itself: its outputs depend on nothing but the row, to the last bit.

Most inputs of a layer are 0: features are masks of cards, and rectified units rest. A layer is therefore a sum of the
weights of those inputs that are not, a third to a tenth of them. It is taken in a fixed order, each product and its sum
rounded once, so that every processor and every number of rows gives the same bits. Exponential units (Clevert et al.
2016) do not rest, and are rounded as the C library does it.
"""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from skat_env.agents.networks._evaluated cimport EvaluatedNetwork

import numpy as np

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #include <string.h>

    #define SKAT_ENV_CHUNK 32   /* sums of a layer that are taken at a time: their weights fit into the first cache */

    /* Collects the inputs not below 0 or 0 (all: other than 0), and where their weights begin; returns their number. */
    static int skat_env_collect_plain(const float* x, int width, int all, int32_t* at, float* value)
    {
        int count = 0;
        for (int i = 0; i < width; i++) {
            at[count] = i * SKAT_ENV_CHUNK;
            value[count] = x[i];
            count += all ? x[i] != 0 : !(x[i] <= 0);   /* what is not a number stays so */
        }
        return count;
    }

    /* The same of the inputs in `some` alone, 16 bits for every 16 inputs; those other than 0. */
    static int skat_env_collect_some_plain(
        const float* x, int width, const uint16_t* some, int32_t* at, float* value)
    {
        int count = 0;
        for (int block = 0; 16 * block < width; block++)
            for (unsigned left = some[block]; left; left &= left - 1) {
                const int i = 16 * block + __builtin_ctz(left);
                at[count] = i * SKAT_ENV_CHUNK;
                value[count] = x[i];
                count += x[i] != 0;
            }
        return count;
    }

    /* y = bias + the sum of value[k] * weights[at[k] ...], in four sums of every fourth k. */
    static void skat_env_sum_plain(
        const float* restrict weights, const float* restrict bias, const int32_t* restrict at,
        const float* restrict value, int count, float* restrict y)
    {
        float sum[4][SKAT_ENV_CHUNK];
        memset(sum, 0, sizeof(sum));
        memcpy(sum[0], bias, sizeof(sum[0]));
        for (int k = 0; k < count; k++)
            for (int j = 0; j < SKAT_ENV_CHUNK; j++)
                sum[k & 3][j] = __builtin_fmaf(value[k], weights[at[k] + j], sum[k & 3][j]);
        for (int j = 0; j < SKAT_ENV_CHUNK; j++) y[j] = (sum[0][j] + sum[1][j]) + (sum[2][j] + sum[3][j]);
    }

    /* Exponential units. In double precision, so that hardly any rounding is left to the library. */
    static void skat_env_elu(float* x, int count)
    {
        for (int i = 0; i < count; i++)
            if (x[i] < 0) x[i] = (float)expm1(x[i]);
    }

    /* Rectified units, as they are where no layer collects them. What is not a number stays so. */
    static void skat_env_relu(float* x, int count)
    {
        for (int i = 0; i < count; i++)
            if (x[i] < 0) x[i] = 0;
    }
    #if defined(__x86_64__)
    #include <immintrin.h>
    /* The sums with two vectors for each of the four. */
    #define SKAT_ENV_INPUT(N, SET, FMA, LOAD, WIDTH) { \
        const float* w = weights + at[k + N] + j; \
        a[N] = FMA(SET(value[k + N]), LOAD(w), a[N]); \
        b[N] = FMA(SET(value[k + N]), LOAD(w + WIDTH), b[N]); }
    #define SKAT_ENV_SUM(NAME, TARGET, VECTOR, WIDTH, LOAD, STORE, SET, ZERO, ADD, FMA) \
        __attribute__((target(TARGET))) static void NAME( \
            const float* restrict weights, const float* restrict bias, const int32_t* restrict at, \
            const float* restrict value, int count, float* restrict y) \
        { \
            for (int j = 0; j < SKAT_ENV_CHUNK; j += 2 * WIDTH) { \
                VECTOR a[4] = { LOAD(bias + j), ZERO(), ZERO(), ZERO() }; \
                VECTOR b[4] = { LOAD(bias + j + WIDTH), ZERO(), ZERO(), ZERO() }; \
                int k = 0; \
                for (; k + 4 <= count; k += 4) { \
                    SKAT_ENV_INPUT(0, SET, FMA, LOAD, WIDTH) SKAT_ENV_INPUT(1, SET, FMA, LOAD, WIDTH) \
                    SKAT_ENV_INPUT(2, SET, FMA, LOAD, WIDTH) SKAT_ENV_INPUT(3, SET, FMA, LOAD, WIDTH) \
                } \
                if (k < count) SKAT_ENV_INPUT(0, SET, FMA, LOAD, WIDTH) \
                if (k + 1 < count) SKAT_ENV_INPUT(1, SET, FMA, LOAD, WIDTH) \
                if (k + 2 < count) SKAT_ENV_INPUT(2, SET, FMA, LOAD, WIDTH) \
                STORE(y + j, ADD(ADD(a[0], a[1]), ADD(a[2], a[3]))); \
                STORE(y + j + WIDTH, ADD(ADD(b[0], b[1]), ADD(b[2], b[3]))); \
            } \
        }
    SKAT_ENV_SUM(skat_env_sum_16, "avx512f,fma", __m512, 16, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps,
        _mm512_setzero_ps, _mm512_add_ps, _mm512_fmadd_ps)
    SKAT_ENV_SUM(skat_env_sum_8, "avx2,fma", __m256, 8, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_ps,
        _mm256_setzero_ps, _mm256_add_ps, _mm256_fmadd_ps)
    __attribute__((target("avx512f,popcnt")))
    static int skat_env_collect_16(const float* x, int width, int all, int32_t* at, float* value)
    {
        const __m512i step = _mm512_set1_epi32(16 * SKAT_ENV_CHUNK);
        __m512i here = _mm512_mullo_epi32(
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), _mm512_set1_epi32(SKAT_ENV_CHUNK));
        int count = 0;
        for (int i = 0; i < width; i += 16) {
            const __mmask16 there = i + 16 <= width ? 0xFFFF : (1u << (width - i)) - 1;
            const __m512 some = _mm512_maskz_loadu_ps(there, x + i);
            const __mmask16 kept = all ? _mm512_cmp_ps_mask(some, _mm512_setzero_ps(), _CMP_NEQ_UQ)
                                       : _mm512_cmp_ps_mask(some, _mm512_setzero_ps(), _CMP_NLE_UQ);
            _mm512_storeu_ps(value + count, _mm512_maskz_compress_ps(kept, some));
            _mm512_storeu_si512(at + count, _mm512_maskz_compress_epi32(kept, here));
            here = _mm512_add_epi32(here, step);
            count += __builtin_popcount(kept);
        }
        return count;
    }
    __attribute__((target("avx512f,popcnt")))
    static int skat_env_collect_some_16(const float* x, int width, const uint16_t* some, int32_t* at, float* value)
    {
        const __m512i first = _mm512_mullo_epi32(
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15), _mm512_set1_epi32(SKAT_ENV_CHUNK));
        int count = 0;
        for (int block = 0; 16 * block < width; block++) {
            if (!some[block]) continue;
            const __m512 found = _mm512_maskz_loadu_ps(some[block], x + 16 * block);
            const __mmask16 kept = _mm512_cmp_ps_mask(found, _mm512_setzero_ps(), _CMP_NEQ_UQ);
            const __m512i here = _mm512_add_epi32(first, _mm512_set1_epi32(16 * SKAT_ENV_CHUNK * block));
            _mm512_storeu_ps(value + count, _mm512_maskz_compress_ps(kept, found));
            _mm512_storeu_si512(at + count, _mm512_maskz_compress_epi32(kept, here));
            count += __builtin_popcount(kept);
        }
        return count;
    }
    #define skat_env_has_16 __builtin_cpu_supports("avx512f")
    #define skat_env_has_8 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    #else
    #define skat_env_collect_16 skat_env_collect_plain
    #define skat_env_collect_some_16 skat_env_collect_some_plain
    #define skat_env_sum_16 skat_env_sum_plain
    #define skat_env_sum_8 skat_env_sum_plain
    #define skat_env_has_16 0
    #define skat_env_has_8 0
    #endif
    """
    int collect_plain "skat_env_collect_plain"(const float*, int, int, int32_t*, float*) noexcept nogil
    int collect_16 "skat_env_collect_16"(const float*, int, int, int32_t*, float*) noexcept nogil
    int collect_some_plain "skat_env_collect_some_plain"(
        const float*, int, const uint16_t*, int32_t*, float*
    ) noexcept nogil
    int collect_some_16 "skat_env_collect_some_16"(
        const float*, int, const uint16_t*, int32_t*, float*
    ) noexcept nogil
    void sum_plain "skat_env_sum_plain"(
        const float*, const float*, const int32_t*, const float*, int, float*
    ) noexcept nogil
    void sum_8 "skat_env_sum_8"(const float*, const float*, const int32_t*, const float*, int, float*) noexcept nogil
    void sum_16 "skat_env_sum_16"(const float*, const float*, const int32_t*, const float*, int, float*) noexcept nogil
    void elu "skat_env_elu"(float*, int) noexcept nogil
    void relu "skat_env_relu"(float*, int) noexcept nogil
    bint has_8 "skat_env_has_8"
    bint has_16 "skat_env_has_16"

cdef enum:
    BLOCK = 64          # rows that go through a layer together, so that its weights stay in the cache
    CHUNK = 32          # the same as above
    VECTOR = 16         # floats that may be written past the end of what is collected

VECTORS = (*((16,) if has_16 else ()), *((8,) if has_8 else ()), 1)
"""The numbers of floats that this processor multiplies at a time, the fastest first."""


cdef class RowNetwork(EvaluatedNetwork):
    """The layers of a network, or those of its branch."""

    def __cinit__(self, network, int vector=VECTORS[0], layers=None, bint branch=False):
        if vector not in VECTORS:
            raise ValueError(f"this processor multiplies {', '.join(map(str, VECTORS))} floats at a time, not {vector}")
        self.collect = collect_16 if vector == 16 else collect_plain
        self.collect_some = collect_some_16 if vector == 16 else collect_some_plain
        self.sum = sum_16 if vector == 16 else sum_8 if vector == 8 else sum_plain
        self.spec, self.name = network.spec, network.name
        self.elu, self.units_last = self.spec.activation == "elu", branch
        arrays, prefix = network.weights(), "branch." if branch else ""
        if layers is None:
            layers = len(self.spec.branch_hidden) if branch else len(self.spec.hidden) + 1
        self.layers = layers
        self.inputs = arrays[f"{prefix}0.weight"].shape[1]
        self.outputs = len(arrays[f"{prefix}{self.layers - 1}.bias"])
        self.scale = self.spec.scale
        self.layer = <Layer*>malloc(self.layers * sizeof(Layer))
        if not self.layer:
            raise MemoryError()
        self.arrays = []
        self.widest = self.inputs
        for i in range(self.layers):
            weights = arrays[f"{prefix}{i}.weight"]
            outputs, inputs = weights.shape
            chunks = -(-outputs // CHUNK)
            columns, bias = np.zeros((chunks * CHUNK, inputs), np.float32), np.zeros(chunks * CHUNK, np.float32)
            columns[:outputs] = weights
            columns = np.ascontiguousarray(np.moveaxis(columns.reshape(chunks, CHUNK, inputs), 1, 2))
            bias[:outputs] = arrays[f"{prefix}{i}.bias"]
            self.arrays += [columns, bias]
            self.layer[i] = Layer(
                inputs, outputs, chunks, <float*><size_t>columns.ctypes.data, <float*><size_t>bias.ctypes.data
            )
            self.widest = max(self.widest, chunks * CHUNK)

    def __dealloc__(self):
        free(self.layer)

    cdef int evaluate_columns(
        self, const float* rows, Py_ssize_t count, float* out, Py_ssize_t out_stride, const uint16_t* some,
        const float* bias,
    ) except -1:
        cdef Py_ssize_t room = self.widest + VECTOR
        cdef float* sums = <float*>malloc(<size_t>(BLOCK * self.widest) * sizeof(float))
        cdef float* value = <float*>malloc(<size_t>(BLOCK * room) * sizeof(float))
        cdef int32_t* at = <int32_t*>malloc(<size_t>(BLOCK * room) * sizeof(int32_t))
        cdef int found[BLOCK]
        cdef Py_ssize_t first = 0
        cdef Py_ssize_t row, block
        cdef int number, chunk
        cdef const Layer* layer
        cdef const float* weights
        cdef const float* inputs
        cdef const float* biases
        cdef int64_t products = 0
        if not sums or not value or not at:
            free(sums)
            free(value)
            free(at)
            raise MemoryError()
        with nogil:
            while first < count:
                block = min(<Py_ssize_t>BLOCK, count - first)
                for number in range(self.layers):
                    layer = &self.layer[number]
                    biases = bias if bias and not number else layer.bias
                    for row in range(block):
                        inputs = sums + row * self.widest
                        if number == 0:
                            inputs = rows + (first + row) * self.inputs
                        if number == 0 and some:
                            found[row] = self.collect_some(
                                inputs, self.inputs, some, at + row * room, value + row * room
                            )
                        else:
                            found[row] = self.collect(
                                inputs, layer.inputs, number == 0 or self.elu, at + row * room, value + row * room
                            )
                        products += <int64_t>found[row] * layer.outputs
                    for chunk in range(layer.chunks):
                        weights = layer.weights + <Py_ssize_t>chunk * layer.inputs * CHUNK
                        for row in range(block):
                            self.sum(
                                weights, biases + chunk * CHUNK, at + row * room, value + row * room, found[row],
                                sums + row * self.widest + chunk * CHUNK,
                            )
                    if self.elu and (number < self.layers - 1 or self.units_last):
                        for row in range(block):
                            elu(sums + row * self.widest, layer.outputs)
                if self.units_last and not self.elu:
                    for row in range(block):
                        relu(sums + row * self.widest, self.outputs)
                for row in range(block):
                    memcpy(out + (first + row) * out_stride, sums + row * self.widest, self.outputs * sizeof(float))
                first += block
        free(sums)
        free(value)
        free(at)
        self.rows += count
        self.products += products
        return 0

    cdef float[::1] fold(self, const float[:, ::1] rows, const uint8_t[::1] differ):
        cdef float[::1] shared = np.where(differ, np.float32(0), rows[0])
        cdef float[::1] bias = np.empty(self.layer[0].chunks * CHUNK, np.float32)
        cdef float[::1] value = np.empty(self.inputs + VECTOR, np.float32)
        cdef int32_t[::1] at = np.empty(self.inputs + VECTOR, np.int32)
        cdef int found = self.collect(&shared[0], self.inputs, True, &at[0], &value[0])
        cdef int chunk
        for chunk in range(self.layer[0].chunks):
            self.sum(
                self.layer[0].weights + <Py_ssize_t>chunk * self.inputs * CHUNK, self.layer[0].bias + chunk * CHUNK,
                &at[0], &value[0], found, &bias[chunk * CHUNK],
            )
        return bias
