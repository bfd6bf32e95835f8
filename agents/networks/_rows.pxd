"""Networks evaluated in C, each row by itself."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint8_t


ctypedef struct Layer:
    int inputs
    int outputs
    int chunks                  # the outputs in parts of 32, the last one with zeros at its end
    const float* weights        # [chunks, inputs, 32]
    const float* bias           # [chunks, 32]


# inputs, their number, whether those below 0 count -> where the weights of those that count begin, these, their number
ctypedef int (*Collect)(const float*, int, int, int32_t*, float*) noexcept nogil
# inputs, their number, those that count as 16 bits for every 16 inputs -> as above
ctypedef int (*CollectSome)(const float*, int, const uint16_t*, int32_t*, float*) noexcept nogil
# weights and bias of a chunk, where the weights of the inputs begin, these, their number -> sums
ctypedef void (*Sum)(const float*, const float*, const int32_t*, const float*, int, float*) noexcept nogil


cdef class RowNetwork:
    cdef readonly int inputs
    cdef readonly int outputs
    cdef readonly object spec       # skat_env.agents.networks.network.NetworkSpec
    cdef readonly str name          # for messages
    cdef readonly float scale       # game units of one unit of output
    cdef Collect collect
    cdef CollectSome collect_some
    cdef Sum sum
    cdef int layers
    cdef bint elu                   # whether units are exponential; else rectified
    cdef bint units_last            # whether the last layer has units too
    cdef int widest                 # the largest of all inputs and chunks
    cdef Layer* layer               # [layers]
    cdef readonly int64_t rows      # evaluated so far
    cdef readonly int64_t products  # multiplications that these took
    cdef readonly double seconds    # CPU time of the process in `evaluate`
    cdef list arrays                # keeps the memory of `layer`
    cdef int evaluate(self, const float* rows, Py_ssize_t count, float* out, Py_ssize_t out_stride) except -1
    cdef int require_finite(self, const float* out, Py_ssize_t count, Py_ssize_t out_stride) except -1
    cdef int evaluate_columns(
        self, const float* rows, Py_ssize_t count, float* out, Py_ssize_t out_stride, const uint16_t* some,
        const float* bias,
    ) except -1
    cdef float[::1] fold(self, const float[:, ::1] rows, const uint8_t[::1] differ)


cdef uint16_t[::1] packed(const uint8_t[::1] differ)
