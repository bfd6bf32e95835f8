"""Networks evaluated in C, each row by itself: its outputs depend on nothing but the row, to the last bit.

Most inputs of a layer are 0: features are masks of cards, and rectified units rest. A layer is therefore a sum of the
weights of those inputs that are not, a third to a tenth of them. It is taken in the order of the inputs, each product and
its sum rounded once, so that every processor and every number of rows gives the same bits.
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy
from libc.time cimport CLOCKS_PER_SEC, clock, clock_t

import numpy as np

cdef extern from *:
    """
    #include <math.h>
    #include <stddef.h>
    #include <stdint.h>

    /* y[j] += value[k] * weights[index[k]][j] for each k in order, fused. `stride` is a multiple of 16. */
    static void skat_env_add_plain(
        const float* restrict weights, int stride, const int32_t* restrict index, const float* restrict value, int count,
        float* restrict y)
    {
        for (int k = 0; k < count; k++) {
            const float* restrict w = weights + (size_t)index[k] * stride;
            const float x = value[k];
            for (int j = 0; j < stride; j++) y[j] = __builtin_fmaf(x, w[j], y[j]);
        }
    }
    #if defined(__x86_64__)
    #include <immintrin.h>
    /* The same with N vectors of sums in registers. */
    #define SKAT_ENV_SUMS(N, VECTOR, WIDTH, LOAD, STORE, SET, FMA) { \
        VECTOR sum[N]; \
        for (int i = 0; i < N; i++) sum[i] = LOAD(y + j + i * WIDTH); \
        for (int k = 0; k < count; k++) { \
            const float* w = weights + (size_t)index[k] * stride + j; \
            const VECTOR x = SET(value[k]); \
            for (int i = 0; i < N; i++) sum[i] = FMA(x, LOAD(w + i * WIDTH), sum[i]); \
        } \
        for (int i = 0; i < N; i++) STORE(y + j + i * WIDTH, sum[i]); \
        j += N * WIDTH; }
    #define SKAT_ENV_ADD(NAME, TARGET, ...) \
        __attribute__((target(TARGET), optimize("unroll-loops"))) static void NAME( \
            const float* restrict weights, int stride, const int32_t* restrict index, const float* restrict value, \
            int count, float* restrict y) \
        { \
            int j = 0; \
            while (j + 8 * SKAT_ENV_WIDTH(__VA_ARGS__) <= stride) SKAT_ENV_SUMS(8, __VA_ARGS__) \
            if (j + 4 * SKAT_ENV_WIDTH(__VA_ARGS__) <= stride) SKAT_ENV_SUMS(4, __VA_ARGS__) \
            if (j + 2 * SKAT_ENV_WIDTH(__VA_ARGS__) <= stride) SKAT_ENV_SUMS(2, __VA_ARGS__) \
            if (j < stride) SKAT_ENV_SUMS(1, __VA_ARGS__) \
        }
    #define SKAT_ENV_WIDTH(VECTOR, WIDTH, ...) WIDTH
    SKAT_ENV_ADD(skat_env_add_512, "avx512f,fma", __m512, 16, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_set1_ps, _mm512_fmadd_ps)
    SKAT_ENV_ADD(skat_env_add_256, "avx2,fma", __m256, 8, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_set1_ps, _mm256_fmadd_ps)
    #define skat_env_has_512 __builtin_cpu_supports("avx512f")
    #define skat_env_has_256 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    #else
    #define skat_env_add_512 skat_env_add_plain
    #define skat_env_add_256 skat_env_add_plain
    #define skat_env_has_512 0
    #define skat_env_has_256 0
    #endif
    """
    void add_plain "skat_env_add_plain"(const float*, int, const int32_t*, const float*, int, float*) noexcept nogil
    void add_256 "skat_env_add_256"(const float*, int, const int32_t*, const float*, int, float*) noexcept nogil
    void add_512 "skat_env_add_512"(const float*, int, const int32_t*, const float*, int, float*) noexcept nogil
    bint has_256 "skat_env_has_256"
    bint has_512 "skat_env_has_512"

VECTORS = (*((16,) if has_512 else ()), *((8,) if has_256 else ()), 1)
"""The numbers of floats that this processor multiplies at a time, the fastest first."""

cdef enum:
    BLOCK = 64          # rows that go through a layer together, so that its weights stay in the cache
    LANES = 16          # strides are multiples of it: whole vectors


cdef inline int active(const float* x, int width, bint rectified, int32_t* index, float* value) noexcept nogil:
    """Collects the inputs that are not 0 (rectified: above 0); returns their number."""
    cdef int i
    cdef int count = 0
    if rectified:
        for i in range(width):
            index[count] = i
            value[count] = x[i]
            count += x[i] > 0
    else:
        for i in range(width):
            index[count] = i
            value[count] = x[i]
            count += x[i] != 0
    return count


cdef class RowNetwork:
    """A network of linear layers with rectified units between them."""

    def __cinit__(self, network, int vector=VECTORS[0]):
        if vector not in VECTORS:
            raise ValueError(f"this processor multiplies {' or '.join(map(str, VECTORS))} floats at a time, not {vector}")
        self.add_inputs = add_512 if vector == 16 else add_256 if vector == 8 else add_plain
        self.spec = network.spec
        tensors = network.weights()
        self.layers = len(tensors) // 2
        self.inputs, self.outputs = network.encoder.width, self.spec.outputs
        self.scale = self.spec.scale
        if not is_row_network(network):
            raise ValueError("a network evaluated row by row has rectified units and no branch")
        self.layer = <Layer*>malloc(self.layers * sizeof(Layer))
        if not self.layer:
            raise MemoryError()
        self.arrays = []
        self.widest = self.inputs
        for i in range(self.layers):
            weights = tensors[f"{i}.weight"].detach().numpy()
            outputs, inputs = weights.shape
            stride = -(-outputs // LANES) * LANES
            columns, bias = np.zeros((inputs, stride), np.float32), np.zeros(stride, np.float32)
            columns[:, :outputs] = weights.T
            bias[:outputs] = tensors[f"{i}.bias"].detach().numpy()
            self.arrays += [columns, bias]
            self.layer[i] = Layer(
                inputs, outputs, stride, <float*><size_t>columns.ctypes.data, <float*><size_t>bias.ctypes.data
            )
            self.widest = max(self.widest, stride)

    def __dealloc__(self):
        free(self.layer)

    cdef int evaluate(self, const float* rows, Py_ssize_t count, float* out, Py_ssize_t out_stride) except -1:
        """Outputs of `count` rows, in units of the scale; `out` has those of a row every `out_stride` floats."""
        cdef float* sums = <float*>malloc(<size_t>BLOCK * self.widest * sizeof(float))
        cdef float* value = <float*>malloc(<size_t>(self.widest + 1) * sizeof(float))
        cdef int32_t* index = <int32_t*>malloc(<size_t>(self.widest + 1) * sizeof(int32_t))
        cdef Py_ssize_t first = 0
        cdef Py_ssize_t row, block
        cdef int number, found
        cdef float* y
        cdef const Layer* layer
        if not sums or not value or not index:
            free(sums)
            free(value)
            free(index)
            raise MemoryError()
        cdef int64_t products = 0
        cdef clock_t begun = clock()
        with nogil:
            while first < count:
                block = min(<Py_ssize_t>BLOCK, count - first)
                for number in range(self.layers):
                    layer = &self.layer[number]
                    for row in range(block):
                        y = sums + row * self.widest
                        if number:
                            found = active(y, layer.inputs, True, index, value)
                        else:
                            found = active(rows + (first + row) * self.inputs, self.inputs, False, index, value)
                        products += <int64_t>found * layer.outputs
                        memcpy(y, layer.bias, layer.stride * sizeof(float))
                        self.add_inputs(layer.weights, layer.stride, index, value, found, y)
                for row in range(block):
                    memcpy(out + (first + row) * out_stride, sums + row * self.widest, self.outputs * sizeof(float))
                first += block
        self.rows += count
        self.products += products
        self.seconds += <double>(clock() - begun) / CLOCKS_PER_SEC
        free(sums)
        free(value)
        free(index)
        return 0

    def __call__(self, const float[:, ::1] rows not None):
        """Outputs in units of the scale, float32 [n, outputs], of float32 [n, inputs]."""
        if rows.shape[1] != self.inputs:
            raise ValueError(f"rows have {rows.shape[1]} features, the network reads {self.inputs}")
        outputs = np.empty((rows.shape[0], self.outputs), np.float32)
        cdef float[:, ::1] out = outputs
        if rows.shape[0]:
            self.evaluate(&rows[0, 0], rows.shape[0], &out[0, 0], self.outputs)
        return outputs


def is_row_network(network):
    """Whether a network has linear layers with rectified units between them alone, as a `RowNetwork` does."""
    return network.spec.activation == "relu" and not network.spec.branch
