"""Products of rows that are mostly 0, in C: the other entries are found once, for a layer and for its gradient."""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #ifdef __AVX__
    #include <immintrin.h>
    #endif

    typedef float skat_env_eight __attribute__((vector_size(32)));
    typedef float skat_env_anywhere __attribute__((vector_size(32), aligned(4), may_alias));
    #define SKAT_ENV_AT(x) ((skat_env_eight)*(const skat_env_anywhere*)(x))
    #define SKAT_ENV_EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
    #define SKAT_ENV_START(U) skat_env_eight sum##U = start ? SKAT_ENV_AT(start + j + 8 * U) : none;
    #define SKAT_ENV_ADD(U) sum##U += v * SKAT_ENV_AT(row + 8 * U);
    #define SKAT_ENV_STORE(U) *(skat_env_anywhere*)(out + j + 8 * U) = sum##U;

    /* out = start (NULL: 0) + the sum of value[k] * matrix[at[k]] over k, vectors of `width` floats, in this order. */
    static void skat_env_gather(
        const int32_t* restrict at, const float* restrict value, int64_t count, const float* restrict matrix,
        int64_t width, const float* restrict start, float* restrict out)
    {
        const skat_env_eight none = {};
        int64_t j = 0;
        for (; j + 64 <= width; j += 64) {      /* eight sums of eight: as many as stay in registers */
            SKAT_ENV_EACH(SKAT_ENV_START)
            for (int64_t k = 0; k < count; k++) {
                const float* row = matrix + at[k] * width + j;
                const skat_env_eight v = none + value[k];
                SKAT_ENV_EACH(SKAT_ENV_ADD)
            }
            SKAT_ENV_EACH(SKAT_ENV_STORE)
        }
        for (; j + 8 <= width; j += 8) {
            SKAT_ENV_START(0)
            for (int64_t k = 0; k < count; k++) sum0 += (none + value[k]) * SKAT_ENV_AT(matrix + at[k] * width + j);
            SKAT_ENV_STORE(0)
        }
        for (; j < width; j++) {
            float sum = start ? start[j] : 0;
            for (int64_t k = 0; k < count; k++) sum += value[k] * matrix[at[k] * width + j];
            out[j] = sum;
        }
    }

    /* Which of x[0 .. 64) are not 0, as bits; of the last ones, which of `width` there are. */
    static inline uint64_t skat_env_bits(const float* x, int64_t width)
    {
        uint64_t bits = 0;
    #ifdef __AVX__
        if (width >= 64) {
            for (int i = 0; i < 8; i++)
                bits |= (uint64_t)(uint32_t)_mm256_movemask_ps(
                    _mm256_cmp_ps(_mm256_loadu_ps(x + 8 * i), _mm256_setzero_ps(), _CMP_NEQ_UQ)) << 8 * i;
            return bits;
        }
    #endif
        for (int64_t i = 0; i < width && i < 64; i++) bits |= (uint64_t)(x[i] != 0) << i;
        return bits;
    }

    /* How many of x are not 0. */
    static int64_t skat_env_count(const float* x, int64_t width)
    {
        int64_t count = 0;
        for (int64_t i = 0; i < width; i += 64) count += __builtin_popcountll(skat_env_bits(x + i, width - i));
        return count;
    }

    /* Writes which of x are not 0, and their values; returns how many. */
    static int64_t skat_env_collect(const float* x, int64_t width, int32_t* restrict at, float* restrict value)
    {
        int64_t count = 0;
        for (int64_t i = 0; i < width; i += 64)
            for (uint64_t bits = skat_env_bits(x + i, width - i); bits; bits &= bits - 1) {
                const int64_t j = i + __builtin_ctzll(bits);
                at[count] = (int32_t)j;
                value[count++] = x[j];
            }
        return count;
    }
    """
    void gather "skat_env_gather"(
        const int32_t*, const float*, int64_t, const float*, int64_t, const float*, float*
    ) noexcept nogil
    int64_t count_of "skat_env_count"(const float*, int64_t) noexcept nogil
    int64_t collect "skat_env_collect"(const float*, int64_t, int32_t*, float*) noexcept nogil


cdef class SparseRows:
    """The entries of a matrix that are not 0, row by row; column by column once that is asked for."""

    cdef readonly Py_ssize_t rows, columns
    cdef int64_t* row_start         # [rows + 1]
    cdef int32_t* column_of         # [entries]
    cdef float* value               # [entries]
    cdef int64_t* column_start      # [columns + 1], NULL until asked for
    cdef int32_t* row_of            # [entries], by column
    cdef float* column_value        # [entries], by column

    def __cinit__(self, const float[:, ::1] dense not None):
        cdef Py_ssize_t row
        cdef int64_t at = 0
        cdef const float* x = &dense[0, 0] if dense.size else NULL
        self.rows, self.columns = dense.shape[0], dense.shape[1]
        self.row_start = <int64_t*>malloc((self.rows + 1) * sizeof(int64_t))
        if not self.row_start:
            raise MemoryError()
        self.row_start[0] = 0
        with nogil:
            for row in range(self.rows):
                self.row_start[row + 1] = self.row_start[row] + count_of(x + row * self.columns, self.columns)
        self.column_of = <int32_t*>malloc(max(1, self.row_start[self.rows]) * sizeof(int32_t))
        self.value = <float*>malloc(max(1, self.row_start[self.rows]) * sizeof(float))
        if not self.column_of or not self.value:
            raise MemoryError()
        with nogil:
            for row in range(self.rows):
                at += collect(x + row * self.columns, self.columns, self.column_of + at, self.value + at)

    def __dealloc__(self):
        free(self.row_start)
        free(self.column_of)
        free(self.value)
        free(self.column_start)
        free(self.row_of)
        free(self.column_value)

    def times(self, const float[:, ::1] matrix not None, const float[::1] start not None, float[:, ::1] out not None):
        """Writes `start` + these rows times `matrix` [columns, width] into `out` [rows, width]."""
        cdef Py_ssize_t row, width = matrix.shape[1]
        cdef int64_t first
        _check(matrix, self.columns, width)
        _check(out, self.rows, width)
        if start.shape[0] != width:
            raise ValueError(f"a start of {start.shape[0]} numbers: expected {width}")
        if not width or not self.rows:
            return
        with nogil:
            for row in range(self.rows):
                first = self.row_start[row]
                gather(
                    self.column_of + first, self.value + first, self.row_start[row + 1] - first,
                    &matrix[0, 0] if self.columns else NULL, width, &start[0], &out[row, 0],
                )

    def transposed_times(self, const float[:, ::1] matrix not None, float[:, ::1] out not None):
        """Writes the transpose of these rows times `matrix` [rows, width] into `out` [columns, width]."""
        cdef Py_ssize_t column, width = matrix.shape[1]
        cdef int64_t first
        _check(matrix, self.rows, width)
        _check(out, self.columns, width)
        if not width or not self.columns:
            return
        if not self.column_start:
            self.turn()
        with nogil:
            for column in range(self.columns):
                first = self.column_start[column]
                gather(
                    self.row_of + first, self.column_value + first, self.column_start[column + 1] - first,
                    &matrix[0, 0] if self.rows else NULL, width, NULL, &out[column, 0],
                )

    cdef int turn(self) except -1:
        """Sorts the entries by column; those of a column keep the order of their rows. It keeps the lock of Python."""
        cdef int64_t entries = self.row_start[self.rows]
        cdef int64_t* begins = <int64_t*>malloc((self.columns + 1) * sizeof(int64_t))
        cdef int64_t at, entry
        cdef Py_ssize_t row, column
        self.row_of = <int32_t*>malloc(max(1, entries) * sizeof(int32_t))
        self.column_value = <float*>malloc(max(1, entries) * sizeof(float))
        if not begins or not self.row_of or not self.column_value:
            free(begins)
            raise MemoryError()
        for column in range(self.columns + 1):
            begins[column] = 0
        for entry in range(entries):
            begins[self.column_of[entry] + 1] += 1
        for column in range(self.columns):
            begins[column + 1] += begins[column]
        for row in range(self.rows):
            for entry in range(self.row_start[row], self.row_start[row + 1]):
                at = begins[self.column_of[entry]]
                begins[self.column_of[entry]] += 1
                self.row_of[at] = <int32_t>row
                self.column_value[at] = self.value[entry]
        # Each has come to where the next begins.
        for column in range(self.columns, 0, -1):
            begins[column] = begins[column - 1]
        begins[0] = 0
        self.column_start = begins
        return 0


cdef int _check(const float[:, ::1] matrix, Py_ssize_t rows, Py_ssize_t width) except -1:
    if matrix.shape[0] != rows or matrix.shape[1] != width:
        raise ValueError(f"a matrix [{matrix.shape[0]}, {matrix.shape[1]}]: expected [{rows}, {width}]")
    return 0
