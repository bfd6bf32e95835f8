"""Networks evaluated in C: what those of floats and those of bytes have in common."""

from libc.stdint cimport int64_t, uint16_t, uint8_t


cdef class EvaluatedNetwork:
    cdef readonly int inputs
    cdef readonly int outputs
    cdef readonly object spec       # skat_env.agents.networks.network.NetworkSpec
    cdef readonly str name          # for messages
    cdef readonly float scale       # game units of one unit of output
    cdef readonly int64_t rows      # evaluated so far
    cdef readonly int64_t products  # multiplications that these took
    cdef readonly double seconds    # CPU time of the process in `evaluate`
    cdef int evaluate(self, const float* rows, Py_ssize_t count, float* out, Py_ssize_t out_stride) except -1
    cdef int require_finite(self, const float* out, Py_ssize_t count, Py_ssize_t out_stride) except -1
    cdef int evaluate_columns(
        self, const float* rows, Py_ssize_t count, float* out, Py_ssize_t out_stride, const uint16_t* some,
        const float* bias,
    ) except -1
    cdef float[::1] fold(self, const float[:, ::1] rows, const uint8_t[::1] differ)
