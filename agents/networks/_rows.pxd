"""Networks evaluated in C, each row by itself."""

from libc.stdint cimport int32_t, uint16_t

from skat_env.agents.networks._evaluated cimport EvaluatedNetwork


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


cdef class RowNetwork(EvaluatedNetwork):
    cdef Collect collect
    cdef CollectSome collect_some
    cdef Sum sum
    cdef int layers
    cdef bint elu                   # whether units are exponential; else rectified
    cdef bint units_last            # whether the last layer has units too
    cdef int widest                 # the largest of all inputs and chunks
    cdef Layer* layer               # [layers]
    cdef list arrays                # keeps the memory of `layer`
