"""Networks evaluated in C: what those of floats and those of bytes have in common."""

from libc.time cimport CLOCKS_PER_SEC, clock, clock_t

import numpy as np

from skat_env.errors import NotFinite


cdef class EvaluatedNetwork:
    """A network as it is evaluated; its kinds say how."""

    cdef int evaluate(self, const float* rows, Py_ssize_t count, float* out, Py_ssize_t out_stride) except -1:
        """Outputs of `count` rows, in units of the scale; `out` has those of a row every `out_stride` floats."""
        cdef clock_t begun = clock()
        self.evaluate_columns(rows, count, out, out_stride, NULL, NULL)
        self.require_finite(out, count, out_stride)
        self.seconds += <double>(clock() - begun) / CLOCKS_PER_SEC
        return 0

    cdef int require_finite(self, const float* out, Py_ssize_t count, Py_ssize_t out_stride) except -1:
        """Raises NotFinite for an output that is infinite or not a number."""
        cdef float zeros = 0        # 0 if all are finite, else not a number
        cdef Py_ssize_t row
        cdef int i
        for row in range(count):
            for i in range(self.outputs):
                zeros += 0 * (out[row * out_stride + i] * self.scale)
        if zeros == 0:
            return 0
        for row in range(count):
            for i in range(self.outputs):
                if 0 * (out[row * out_stride + i] * self.scale) != 0:
                    raise NotFinite(self.name, out[row * out_stride + i] * self.scale, row)
        return 0

    cdef int evaluate_columns(
        self, const float* rows, Py_ssize_t count, float* out, Py_ssize_t out_stride, const uint16_t* some,
        const float* bias,
    ) except -1:
        """As `evaluate`; the first layer begins with `bias` (NULL: its own) and adds the columns in `some` (NULL: all).

        The outputs need not be finite.
        """
        raise NotImplementedError

    cdef float[::1] fold(self, const float[:, ::1] rows, const uint8_t[::1] differ):
        """The first layer's sums of the columns in which all rows agree, with its bias; at least one row."""
        raise NotImplementedError

    def __call__(self, const float[:, ::1] rows not None):
        """Outputs in units of the scale, float32 [n, outputs], of float32 [n, inputs]."""
        if rows.shape[1] != self.inputs:
            raise ValueError(f"rows have {rows.shape[1]} features, the network reads {self.inputs}")
        outputs = np.empty((rows.shape[0], self.outputs), np.float32)
        cdef float[:, ::1] out = outputs
        if rows.shape[0]:
            self.evaluate(&rows[0, 0], rows.shape[0], &out[0, 0], self.outputs)
        return outputs

    def folded(self, const float[:, ::1] rows not None, const uint8_t[::1] differ not None):
        """As a call, for rows that agree in all columns but those in `differ`, bool [inputs].

        What the others add to the first layer is worked out once, as if it were the bias.
        """
        if rows.shape[1] != self.inputs or differ.shape[0] != self.inputs:
            raise ValueError(
                f"rows have {rows.shape[1]} features, {differ.shape[0]} of which may differ or not: "
                f"the network reads {self.inputs}"
            )
        outputs = np.empty((rows.shape[0], self.outputs), np.float32)
        if not rows.shape[0]:
            return outputs
        cdef float[:, ::1] out = outputs
        cdef uint16_t[::1] some = packed(differ)
        cdef float[::1] bias = self.fold(rows, differ)
        self.evaluate_columns(&rows[0, 0], rows.shape[0], &out[0, 0], self.outputs, &some[0], &bias[0])
        self.require_finite(&out[0, 0], rows.shape[0], self.outputs)
        return outputs


cdef uint16_t[::1] packed(const uint8_t[::1] differ):
    """Columns as `evaluate_columns` takes them."""
    cdef Py_ssize_t width = differ.shape[0]
    padded = np.zeros((width + 15) // 16 * 2, np.uint8)
    padded[: (width + 7) // 8] = np.packbits(differ, bitorder="little")
    return padded.view("<u2").astype(np.uint16)
