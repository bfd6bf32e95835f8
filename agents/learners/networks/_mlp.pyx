"""A multilayer perceptron in training, in C: products over what is not 0 alone, Adam, and the average of the weights.

Most inputs of a layer are 0: features are masks of cards, and rectified units rest. So are most gradients. Forward and
backward passes are therefore sums of those rows of a matrix whose factor is not 0. Every matrix is kept in chunks of 64
columns, [chunks, rows, 64], of which 192 rows are read at a time, by all that need them: so they stay in the cache.
Sums are taken in a fixed order, each product and its sum rounded once, so that every processor gives the same bits.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memcpy, memset

import numpy as np

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #include <string.h>
    #if defined(__x86_64__)
    #include <immintrin.h>
    #endif

    #define SKAT_ENV_CHUNK 64   /* columns of a matrix that lie together */
    #define SKAT_ENV_SPAN 192   /* rows of a chunk that are read together, by all that need them */

    typedef struct {
        uint32_t at;            /* 64 times a number of a row */
        float value;
    } skat_env_entry;

    /* out [rows, 64] (begins: 0) += the sum of value * matrix[at ...] over some entries of each row, in this order:
       those of row r are entry[r * room + bounds[r * step]] to before bounds[r * step + 1]. */
    static void skat_env_add_plain(
        const skat_env_entry* restrict entry, int64_t room, const int32_t* restrict bounds, int64_t step, int64_t rows,
        const float* restrict matrix, float* restrict out, int begins)
    {
        for (int64_t row = 0; row < rows; row++, entry += room, bounds += step, out += SKAT_ENV_CHUNK) {
            float sum[SKAT_ENV_CHUNK] = { 0 };
            if (!begins) memcpy(sum, out, sizeof(sum));
            for (int64_t k = bounds[0]; k < bounds[1]; k++)
                for (int j = 0; j < SKAT_ENV_CHUNK; j++)
                    sum[j] = __builtin_fmaf(entry[k].value, matrix[entry[k].at + j], sum[j]);
            memcpy(out, sum, sizeof(sum));
        }
    }

    /* Which of x[0 .. 64) are not 0 (rectified: not 0 or below; what is not a number stays so), as bits. */
    static inline uint64_t skat_env_bits(const float* x, int width, int rectified)
    {
        uint64_t bits = 0;
    #ifdef __AVX__
        if (width >= 64) {
            const __m256 none = _mm256_setzero_ps();
            if (rectified)
                for (int i = 0; i < 8; i++)
                    bits |= (uint64_t)(uint32_t)_mm256_movemask_ps(
                        _mm256_cmp_ps(_mm256_loadu_ps(x + 8 * i), none, _CMP_NLE_UQ)) << 8 * i;
            else
                for (int i = 0; i < 8; i++)
                    bits |= (uint64_t)(uint32_t)_mm256_movemask_ps(
                        _mm256_cmp_ps(_mm256_loadu_ps(x + 8 * i), none, _CMP_NEQ_UQ)) << 8 * i;
            return bits;
        }
    #endif
        for (int i = 0; i < width && i < 64; i++)
            bits |= (uint64_t)(rectified ? !(x[i] <= 0) : x[i] != 0) << i;
        return bits;
    }

    /* Lists which of `width` numbers are not 0, and at the end a 1 (extended); bounds[s] is how many there are before
       span s. Chunk c of the numbers is at x + c * stride. */
    static void skat_env_list_plain(
        const float* x, int64_t stride, int width, int rectified, int extended, skat_env_entry* restrict entry,
        int32_t* restrict bounds)
    {
        int count = 0;
        for (int i = 0; i < width; i += SKAT_ENV_CHUNK, x += stride) {
            if (i % SKAT_ENV_SPAN == 0) *bounds++ = count;
            for (uint64_t bits = skat_env_bits(x, width - i, rectified); bits; bits &= bits - 1) {
                const int j = __builtin_ctzll(bits);
                entry[count].at = (i + j) * SKAT_ENV_CHUNK;
                entry[count++].value = x[j];
            }
        }
        if (extended) {
            entry[count].at = width * SKAT_ENV_CHUNK;
            entry[count++].value = 1;
        }
        *bounds = count;
    }

    #if defined(__x86_64__)
    #define SKAT_ENV_EACH_8(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
    #define SKAT_ENV_EACH_16(DO) DO(0) DO(1) DO(2) DO(3)
    #define SKAT_ENV_ADD(NAME, TARGET, VECTOR, EACH, PREFIX) \\
        __attribute__((target(TARGET))) static void NAME( \\
            const skat_env_entry* restrict entry, int64_t room, const int32_t* restrict bounds, int64_t step, \\
            int64_t rows, const float* restrict matrix, float* restrict out, int begins) \\
        { \\
            enum { WIDTH = sizeof(VECTOR) / sizeof(float) }; \\
            for (int64_t row = 0; row < rows; row++, entry += room, bounds += step, out += SKAT_ENV_CHUNK) { \\
                if (!begins && bounds[0] == bounds[1]) continue; \\
                EACH(SKAT_ENV_BEGIN_##PREFIX) \\
                for (int64_t k = bounds[0]; k < bounds[1]; k++) { \\
                    const float* from = matrix + entry[k].at; \\
                    const VECTOR v = PREFIX##_set1_ps(entry[k].value); \\
                    EACH(SKAT_ENV_FMA_##PREFIX) \\
                } \\
                EACH(SKAT_ENV_STORE_##PREFIX) \\
            } \\
        }
    #define SKAT_ENV_BEGIN_OF(P, V, U) V s##U = begins ? P##_setzero_ps() : P##_loadu_ps(out + WIDTH * U);
    #define SKAT_ENV_FMA_OF(P, U) s##U = P##_fmadd_ps(v, P##_loadu_ps(from + WIDTH * U), s##U);
    #define SKAT_ENV_STORE_OF(P, U) P##_storeu_ps(out + WIDTH * U, s##U);
    #define SKAT_ENV_BEGIN__mm256(U) SKAT_ENV_BEGIN_OF(_mm256, __m256, U)
    #define SKAT_ENV_FMA__mm256(U) SKAT_ENV_FMA_OF(_mm256, U)
    #define SKAT_ENV_STORE__mm256(U) SKAT_ENV_STORE_OF(_mm256, U)
    #define SKAT_ENV_BEGIN__mm512(U) SKAT_ENV_BEGIN_OF(_mm512, __m512, U)
    #define SKAT_ENV_FMA__mm512(U) SKAT_ENV_FMA_OF(_mm512, U)
    #define SKAT_ENV_STORE__mm512(U) SKAT_ENV_STORE_OF(_mm512, U)
    SKAT_ENV_ADD(skat_env_add_8, "avx2,fma", __m256, SKAT_ENV_EACH_8, _mm256)
    SKAT_ENV_ADD(skat_env_add_16, "avx512f", __m512, SKAT_ENV_EACH_16, _mm512)

    /* The same, 16 numbers at a time: writes up to 15 entries after the last one. */
    __attribute__((target("avx512f,popcnt")))
    static void skat_env_list_16(
        const float* x, int64_t stride, int width, int rectified, int extended, skat_env_entry* restrict entry,
        int32_t* restrict bounds)
    {
        const __m512i count_up = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
        __m512i here = _mm512_mullo_epi32(count_up, _mm512_set1_epi32(SKAT_ENV_CHUNK));
        int count = 0;
        for (int i = 0; i < width; i += 16) {
            if (i % SKAT_ENV_SPAN == 0) *bounds++ = count;
            const __mmask16 there = i + 16 <= width ? 0xFFFF : (1u << (width - i)) - 1;
            const __m512 some = _mm512_maskz_loadu_ps(there, x + i / SKAT_ENV_CHUNK * stride + i % SKAT_ENV_CHUNK);
            const __mmask16 kept = rectified ? _mm512_cmp_ps_mask(some, _mm512_setzero_ps(), _CMP_NLE_UQ)
                                             : _mm512_cmp_ps_mask(some, _mm512_setzero_ps(), _CMP_NEQ_UQ);
            const __m512i at = _mm512_maskz_compress_epi32(kept, here);
            const __m512i value = _mm512_castps_si512(_mm512_maskz_compress_ps(kept, some));
            _mm512_storeu_si512(entry + count, _mm512_permutex2var_epi32(at, low, value));
            const int found = __builtin_popcount(kept);
            if (found > 8) _mm512_storeu_si512(entry + count + 8, _mm512_permutex2var_epi32(at, high, value));
            here = _mm512_add_epi32(here, _mm512_set1_epi32(16 * SKAT_ENV_CHUNK));
            count += found;
        }
        if (extended) {
            entry[count].at = width * SKAT_ENV_CHUNK;
            entry[count++].value = 1;
        }
        *bounds = count;
    }
    #define skat_env_has_16 (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt"))
    #define skat_env_has_8 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    #else
    #define skat_env_add_8 skat_env_add_plain
    #define skat_env_add_16 skat_env_add_plain
    #define skat_env_list_16 skat_env_list_plain
    #define skat_env_has_16 0
    #define skat_env_has_8 0
    #endif

    /* The transpose of a matrix of 64 columns in a chunk, `rows` of them, as rows of matrices in chunks. */
    static void skat_env_transpose(const float* restrict from, int rows, float* restrict to, int64_t stride)
    {
        for (int i = 0; i < rows; i += SKAT_ENV_CHUNK, to += stride)
            for (int j = 0; j < SKAT_ENV_CHUNK; j++)
                for (int k = 0; k < SKAT_ENV_CHUNK && i + k < rows; k++)
                    to[j * SKAT_ENV_CHUNK + k] = from[(i + k) * SKAT_ENV_CHUNK + j];
    }

    /* A step of Adam (Kingma and Ba 2015, algorithm 1), and the average after it. */
    static void skat_env_adam(
        float* restrict weight, float* restrict average, float* restrict first, float* restrict second,
        const float* restrict gradient, int64_t count, float rate, float root, float forgotten)
    {
        for (int64_t i = 0; i < count; i++) {
            const float g = gradient[i];
            first[i] += 0.1f * (g - first[i]);
            second[i] = 0.999f * second[i] + 0.001f * (g * g);
            weight[i] -= rate * first[i] / (sqrtf(second[i]) * root + 1e-8f);
            average[i] += forgotten * (weight[i] - average[i]);
        }
    }
    """
    ctypedef struct Entry "skat_env_entry":
        uint32_t at
        float value
    void add_plain "skat_env_add_plain"(
        const Entry*, int64_t, const int32_t*, int64_t, int64_t, const float*, float*, bint
    ) noexcept nogil
    void add_8 "skat_env_add_8"(
        const Entry*, int64_t, const int32_t*, int64_t, int64_t, const float*, float*, bint
    ) noexcept nogil
    void add_16 "skat_env_add_16"(
        const Entry*, int64_t, const int32_t*, int64_t, int64_t, const float*, float*, bint
    ) noexcept nogil
    void list_plain "skat_env_list_plain"(const float*, int64_t, int, bint, bint, Entry*, int32_t*) noexcept nogil
    void list_16 "skat_env_list_16"(const float*, int64_t, int, bint, bint, Entry*, int32_t*) noexcept nogil
    void transpose "skat_env_transpose"(const float*, int, float*, int64_t) noexcept nogil
    void adam "skat_env_adam"(
        float*, float*, float*, float*, const float*, int64_t, float, float, float
    ) noexcept nogil
    bint has_8 "skat_env_has_8"
    bint has_16 "skat_env_has_16"

ctypedef void (*Add)(
    const Entry*, int64_t, const int32_t*, int64_t, int64_t, const float*, float*, bint
) noexcept nogil
ctypedef void (*ListNumbers)(const float*, int64_t, int, bint, bint, Entry*, int32_t*) noexcept nogil

cdef enum:
    CHUNK = 64          # as above
    SPAN = 192
    BLOCK = 128         # rows that go through the layers together, so that what is listed of them stays in the cache
    VECTOR = 16         # entries that may be written past the end of what is listed
    MAX_LAYERS = 66     # hidden ones, and that of the outputs

VECTORS = (*((16,) if has_16 else ()), *((8,) if has_8 else ()), 1)
"""The numbers of floats that this processor multiplies at a time, the fastest first."""

ctypedef struct Layer:
    int inputs          # without the last one, which is always 1: its weights are the bias
    int outputs
    int64_t weights     # where they begin, [chunks of outputs, inputs + 1, 64]
    int64_t transposed  # where these begin, [chunks of inputs, outputs in whole chunks, 64]


ctypedef struct Lists:
    # What is not 0 in the rows of a matrix.
    int room            # entries of a row
    int spans           # of columns
    Entry* entry        # [rows, room] 64 times the number of the column, and its value
    int32_t* bounds     # [rows, spans + 1] the number of entries before each span, and of all


cdef inline int chunks_of(int width) noexcept nogil:
    return (width + CHUNK - 1) // CHUNK


cdef inline Lists lists_from(const Lists* lists, int64_t row) noexcept nogil:
    """The lists of a row and of those after it."""
    return Lists(
        lists.room, lists.spans, lists.entry + row * lists.room, lists.bounds + row * (lists.spans + 1)
    )


cdef inline void list_row(
    ListNumbers list_numbers, const float* x, int64_t stride, int width, bint rectified, bint extended,
    const Lists* lists, int64_t row
) noexcept nogil:
    list_numbers(
        x, stride, width, rectified, extended, lists.entry + row * lists.room, lists.bounds + row * (lists.spans + 1)
    )


cdef object aligned(int64_t size):
    """Zeros that begin with a line of the cache."""
    memory = np.zeros(size + 16, np.float32)
    first = -memory.ctypes.data % 64 // 4
    return memory[first : first + size]


cdef Lists make_lists(int64_t rows, int width, list kept):
    """Room for the lists of some rows, extended ones too; arrays in `kept` keep the memory."""
    cdef int spans = (width + SPAN - 1) // SPAN
    cdef int room = width + 1 + VECTOR
    entries, bounds = np.empty((rows, room), np.uint64), np.empty((rows, spans + 1), np.int32)
    kept += [entries, bounds]
    return Lists(room, spans, <Entry*><size_t>entries.ctypes.data, <int32_t*><size_t>bounds.ctypes.data)


cdef class Pass:
    """What the layers read in a forward pass, and memory for it."""

    cdef int64_t capacity               # rows
    cdef Lists[MAX_LAYERS] inputs       # of each layer, extended
    cdef float[::1] sums                # of a layer and a block of rows, [chunks, rows, 64]
    cdef list kept

    def __cinit__(self, tuple widths, int64_t capacity):
        self.capacity, self.kept = capacity, []
        for i in range(len(widths) - 1):
            self.inputs[i] = make_lists(capacity, widths[i], self.kept)
        self.sums = aligned(<int64_t>chunks_of(max(widths)) * CHUNK * BLOCK)


cdef class Back:
    """Memory for the backward pass of a block of rows."""

    cdef float[::1] gradient            # with respect to the sums of a layer, [chunks, rows, 64]
    cdef float[::1] before              # with respect to its inputs, the same
    cdef Lists lists                    # of `gradient`, as wide as the widest layer
    cdef Lists columns                  # of the inputs of a layer: for each of them 64 times the row, and the value
    cdef list kept

    def __cinit__(self, tuple widths):
        cdef int widest = max(widths)
        self.kept = []
        self.gradient = aligned(<int64_t>chunks_of(widest) * CHUNK * BLOCK)
        self.before = aligned(<int64_t>chunks_of(widest) * CHUNK * BLOCK)
        self.lists = make_lists(BLOCK, widest, self.kept)
        self.columns = make_lists(widest + 1, BLOCK, self.kept)
        self.columns.spans = 1

    cdef void sort_by_column(self, const Lists* lists, int columns, int rows) noexcept nogil:
        """Lists the entries of some rows column by column, each column's in the order of the rows."""
        cdef int32_t* bounds = self.columns.bounds
        cdef const Entry* entry
        cdef Entry* to
        cdef uint32_t row, column, i
        memset(bounds, 0, 2 * columns * sizeof(int32_t))
        for row in range(rows):
            entry = lists.entry + <int64_t>row * lists.room
            for i in range(lists.bounds[<int64_t>row * (lists.spans + 1) + lists.spans]):
                column = entry[i].at // CHUNK
                to = self.columns.entry + <int64_t>column * self.columns.room + bounds[2 * column + 1]
                bounds[2 * column + 1] += 1
                to.at = row * CHUNK
                to.value = entry[i].value

    cdef void rectify(self, const Lists* inputs, int width, uint32_t rows) noexcept nogil:
        """The gradient with respect to the sums of units, by that of what they gave: 0 where they rest."""
        cdef float* gradient = &self.gradient[0]
        cdef const float* before = &self.before[0]
        cdef const Entry* entry
        cdef Entry* to
        cdef const int32_t* bounds
        cdef int32_t* marks
        cdef uint32_t row, column, place
        cdef int span, i, count
        memset(gradient, 0, <size_t>chunks_of(width) * rows * CHUNK * sizeof(float))
        self.lists.spans = inputs.spans
        for row in range(rows):
            entry, to = inputs.entry + <int64_t>row * inputs.room, self.lists.entry + <int64_t>row * self.lists.room
            bounds = inputs.bounds + <int64_t>row * (inputs.spans + 1)
            marks = self.lists.bounds + <int64_t>row * (inputs.spans + 1)
            count = 0
            for span in range(inputs.spans):
                marks[span] = count
                # The last entry of all is the bias.
                for i in range(bounds[span], bounds[span + 1] - (span == inputs.spans - 1)):
                    column = entry[i].at // CHUNK
                    place = (column // CHUNK * rows + row) * CHUNK + column % CHUNK
                    gradient[place] = before[place]
                    to[count].at = entry[i].at
                    to[count].value = before[place]
                    count += before[place] != 0
            marks[inputs.spans] = count


cdef class MLP:
    """Linear layers with rectified units between them, the average of their weights, and Adam."""

    cdef readonly tuple widths          # of the inputs, and of the outputs of each layer
    cdef public int64_t steps
    cdef double averaging
    cdef Add add
    cdef ListNumbers list_numbers
    cdef int layers
    cdef int inputs
    cdef int last                       # the number of outputs
    cdef Layer[MAX_LAYERS] layer
    cdef float[::1] weights
    cdef float[::1] average
    cdef float[::1] first               # moments of Adam
    cdef float[::1] second
    cdef float[::1] gradient
    cdef float[::1] transposed
    cdef Pass passed                    # of the last call of `forward`
    cdef Back back
    cdef int64_t rows                   # in `passed`

    def __cinit__(self, widths, double averaging, int vector=VECTORS[0]):
        cdef int64_t size = 0, transposed = 0
        if vector not in VECTORS:
            raise ValueError(f"this processor multiplies {', '.join(map(str, VECTORS))} floats at a time, not {vector}")
        self.add = add_16 if vector == 16 else add_8 if vector == 8 else add_plain
        self.list_numbers = list_16 if vector == 16 else list_plain
        self.widths, self.averaging = tuple(widths), averaging
        self.layers = len(self.widths) - 1
        if not 1 <= self.layers <= MAX_LAYERS:
            raise ValueError(f"got {self.layers} layers: expected 1 to {MAX_LAYERS}")
        self.inputs, self.last = self.widths[0], self.widths[self.layers]
        for i in range(self.layers):
            inputs, outputs = self.widths[i], self.widths[i + 1]
            self.layer[i] = Layer(inputs, outputs, size, transposed)
            size += <int64_t>chunks_of(outputs) * CHUNK * (inputs + 1)
            if i:
                transposed += <int64_t>chunks_of(inputs) * CHUNK * chunks_of(outputs) * CHUNK
        self.weights, self.average, self.first, self.second, self.gradient = [aligned(size) for _ in range(5)]
        self.transposed = aligned(transposed)
        self.passed, self.back = Pass(self.widths, 0), Back(self.widths)

    cdef void multiply(
        self, const Lists* lists, int rows, const float* matrix, int matrix_rows, int columns, float* out, bint begins
    ) noexcept nogil:
        """Adds the product of listed rows and a matrix in chunks to `out` (begins: to 0), [chunks, rows, 64]."""
        cdef int chunk, span
        for chunk in range(chunks_of(columns)):
            for span in range(lists.spans):
                self.add(
                    lists.entry, lists.room, lists.bounds + span, lists.spans + 1, rows,
                    matrix + <int64_t>chunk * matrix_rows * CHUNK, out + <int64_t>chunk * rows * CHUNK,
                    begins and span == 0,
                )

    cdef void forward_block(
        self, const float* weights, Pass passed, int64_t first, int rows, float* out
    ) noexcept nogil:
        """Outputs of at most `BLOCK` rows whose features are listed; lists what the other layers read."""
        cdef const Layer* layer
        cdef Lists inputs
        cdef int number, row, chunk
        for number in range(self.layers):
            layer, inputs = &self.layer[number], lists_from(&passed.inputs[number], first)
            if number:
                for row in range(rows):
                    list_row(
                        self.list_numbers, &passed.sums[<int64_t>row * CHUNK], <int64_t>rows * CHUNK, layer.inputs,
                        True, True, &inputs, row,
                    )
            self.multiply(
                &inputs, rows, weights + layer.weights, layer.inputs + 1, layer.outputs, &passed.sums[0], True
            )
        for row in range(rows):
            for chunk in range(chunks_of(self.last)):
                memcpy(
                    out + <int64_t>row * self.last + chunk * CHUNK, &passed.sums[(<int64_t>chunk * rows + row) * CHUNK],
                    min(<int>CHUNK, self.last - chunk * CHUNK) * sizeof(float),
                )

    cdef int require_width(self, const float[:, ::1] rows) except -1:
        if rows.shape[1] != self.inputs:
            raise ValueError(f"rows have {rows.shape[1]} features, the network reads {self.inputs}")
        return 0

    def outputs(self, const float[:, ::1] features not None, bint average=False):
        """Outputs float32 [n, outputs] of float32 [n, inputs]; on several threads at a time, if need be.

        Args:
            features: of the rows.
            average: whether by the average of the weights.
        """
        cdef Pass passed = Pass(self.widths, BLOCK)
        cdef int64_t first = 0
        cdef int rows, row
        cdef const float* weights = &self.average[0] if average else &self.weights[0]
        found = np.empty((features.shape[0], self.last), np.float32)
        cdef float[:, ::1] out = found
        self.require_width(features)
        with nogil:
            while first < features.shape[0]:
                rows = min(<int64_t>BLOCK, features.shape[0] - first)
                for row in range(rows):
                    list_row(
                        self.list_numbers, &features[first + row, 0], CHUNK, self.inputs, False, True,
                        &passed.inputs[0], row,
                    )
                self.forward_block(weights, passed, 0, rows, &out[first, 0])
                first += rows
        return found

    def forward(self, list parts not None, const int64_t[::1] members not None):
        """Outputs float32 [m, outputs] of some rows, and what `step` needs to learn from them.

        Args:
            parts: rows, float32 [n, inputs] each, which are numbered through.
            members: int64 [m], the numbers of these.
        """
        cdef int64_t count = members.shape[0], first = 0
        cdef int64_t row, member
        cdef int part
        cdef const float[:, ::1] matrix
        cdef int64_t[::1] starts = np.cumsum([0, *(len(each) for each in parts)], dtype=np.int64)
        cdef size_t[::1] addresses = np.zeros(len(parts), np.uintp)
        found = np.empty((count, self.last), np.float32)
        cdef float[:, ::1] out = found
        for part in range(len(parts)):
            matrix = parts[part]
            self.require_width(matrix)
            addresses[part] = <size_t>&matrix[0, 0] if matrix.shape[0] else 0
        if count and not 0 <= np.min(members) <= np.max(members) < starts[len(parts)]:
            raise IndexError(f"got rows {np.min(members)} to {np.max(members)} of {starts[len(parts)]}")
        if count > self.passed.capacity:
            self.passed = Pass(self.widths, count)
        self.rows = count
        with nogil:
            for row in range(count):
                part, member = 0, members[row]
                while member >= starts[part + 1]:
                    part += 1
                list_row(
                    self.list_numbers, <const float*>addresses[part] + (member - starts[part]) * self.inputs, CHUNK,
                    self.inputs, False, True, &self.passed.inputs[0], row,
                )
            while first < count:
                self.forward_block(
                    &self.weights[0], self.passed, first, min(<int64_t>BLOCK, count - first), &out[first, 0]
                )
                first += BLOCK
        return found

    def step(self, const float[:, ::1] gradient not None, float learning_rate):
        """A step of Adam from the rows of the last `forward`, and the average after it.

        Args:
            gradient: float32 [m, outputs], of the loss with respect to what `forward` returned.
            learning_rate: of Adam.
        """
        cdef int64_t first = 0
        if not self.rows or gradient.shape[0] != self.rows or gradient.shape[1] != self.last:
            raise ValueError(
                f"a gradient [{gradient.shape[0]}, {gradient.shape[1]}] after a forward pass of {self.rows} rows: "
                f"expected one or more, and [{self.rows}, {self.last}]"
            )
        self.steps += 1
        # The first weights say little, so the average forgets them faster.
        cdef double kept = min(self.averaging, self.steps / (self.steps + 10.0))
        cdef float rate = learning_rate / (1 - 0.9**self.steps)
        cdef float root = (1 - 0.999**self.steps) ** -0.5
        with nogil:
            self.transpose()
            while first < self.rows:
                self.backward_block(self.back, &gradient[0, 0], first, min(<int64_t>BLOCK, self.rows - first))
                first += BLOCK
            adam(
                &self.weights[0], &self.average[0], &self.first[0], &self.second[0], &self.gradient[0],
                self.weights.shape[0], rate, root, 1 - kept,
            )
        self.rows = 0

    cdef void transpose(self) noexcept nogil:
        """Transposes the weights of all layers but the first."""
        cdef const Layer* layer
        cdef int number, chunk
        for number in range(1, self.layers):
            layer = &self.layer[number]
            for chunk in range(chunks_of(layer.outputs)):
                transpose(
                    &self.weights[layer.weights + <int64_t>chunk * (layer.inputs + 1) * CHUNK], layer.inputs,
                    &self.transposed[layer.transposed + <int64_t>chunk * CHUNK * CHUNK],
                    <int64_t>chunks_of(layer.outputs) * CHUNK * CHUNK,
                )

    cdef void backward_block(self, Back back, const float* gradient, int64_t first, int rows) noexcept nogil:
        """Adds the gradients that some rows give the weights; those of the first rows begin them."""
        cdef const Layer* layer
        cdef Lists inputs
        cdef int number, row, column
        memset(&back.gradient[0], 0, <size_t>chunks_of(self.last) * rows * CHUNK * sizeof(float))
        back.lists.spans = (self.last + SPAN - 1) // SPAN
        for row in range(rows):
            for column in range(self.last):
                back.gradient[(<int64_t>(column // CHUNK) * rows + row) * CHUNK + column % CHUNK] = (
                    gradient[(first + row) * self.last + column]
                )
            list_row(
                self.list_numbers, &back.gradient[<int64_t>row * CHUNK], <int64_t>rows * CHUNK, self.last, False, False,
                &back.lists, row,
            )
        for number in range(self.layers - 1, -1, -1):
            layer, inputs = &self.layer[number], lists_from(&self.passed.inputs[number], first)
            back.sort_by_column(&inputs, layer.inputs + 1, rows)
            self.multiply(
                &back.columns, layer.inputs + 1, &back.gradient[0], rows, layer.outputs,
                &self.gradient[layer.weights], not first,
            )
            if number:
                self.multiply(
                    &back.lists, rows, &self.transposed[layer.transposed], chunks_of(layer.outputs) * CHUNK,
                    layer.inputs, &back.before[0], True,
                )
                back.rectify(&inputs, layer.inputs, <uint32_t>rows)

    def arrays(self):
        """Views of all that is learnt, flat, by name."""
        named = ("weights", self.weights), ("average", self.average), ("first", self.first), ("second", self.second)
        return {name: np.asarray(each) for name, each in named}

    def set_arrays(self, arrays):
        """The inverse of `arrays`."""
        for name, each in self.arrays().items():
            each[:] = arrays[name]

    def matrix(self, int number, kind="weights"):
        """The weights of a layer, float32 [outputs, inputs + 1]: the last column is the bias. A copy."""
        chunked = self.chunked(number, kind)
        return np.array(chunked.transpose(0, 2, 1).reshape(-1, chunked.shape[1])[: self.layer[number].outputs])

    def set_matrix(self, int number, matrix, kind="weights"):
        """The inverse of `matrix`."""
        chunked = self.chunked(number, kind)
        padded = np.zeros((chunked.shape[0] * CHUNK, chunked.shape[1]), np.float32)
        padded[: self.layer[number].outputs] = matrix
        chunked[:] = padded.reshape(chunked.shape[0], CHUNK, -1).transpose(0, 2, 1)

    cdef object chunked(self, int number, kind):
        """A view of the weights of a layer, [chunks, inputs + 1, 64]."""
        if not 0 <= number < self.layers:
            raise IndexError(f"layer {number} of {self.layers}")
        shape = chunks_of(self.layer[number].outputs), self.layer[number].inputs + 1, CHUNK
        first = self.layer[number].weights
        return self.arrays()[kind][first : first + shape[0] * shape[1] * CHUNK].reshape(shape)
