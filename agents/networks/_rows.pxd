"""Networks evaluated in C, each row by itself."""

from libc.stdint cimport int32_t, int64_t


ctypedef struct Layer:
    int inputs
    int outputs
    int stride                  # floats between the weights of two inputs: `outputs` rounded up, zeros at the end
    const float* weights        # [inputs, stride]
    const float* bias           # [stride]

# weights, stride, indices and values of the inputs, their number -> added to the sums
ctypedef void (*AddInputs)(const float*, int, const int32_t*, const float*, int, float*) noexcept nogil


cdef class RowNetwork:
    cdef readonly int inputs
    cdef readonly int outputs
    cdef readonly object spec       # agents.networks.network.NetworkSpec
    cdef readonly float scale       # game units of one unit of output
    cdef AddInputs add_inputs
    cdef int layers
    cdef int widest                 # the largest of all inputs and strides
    cdef Layer* layer               # [layers]
    cdef readonly int64_t rows      # evaluated so far
    cdef readonly int64_t products  # multiplications that these took
    cdef readonly double seconds    # CPU time of the process that these took
    cdef list arrays                # keeps the memory of `layer`
    cdef int evaluate(self, const float* rows, Py_ssize_t count, float* out, Py_ssize_t out_stride) except -1
