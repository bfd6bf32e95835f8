"""Float encodings of positions: what networks read, laid out as named slices and written in C."""

cimport cython
from libc.stdint cimport uint8_t

from skat_env._position cimport Position, index_of

import numpy as np

from skat_env._position import ViewMethods
from skat_env.features import slices, total_width
from skat_env.options import check_list, shown
from skat_env.registry import get_part


def unpickled(name):
    """The encoder of a pickle, which holds its name alone."""
    return next(encoder for encoder in get_part(name.partition(".")[0], "encoders") if encoder.name == name)


@cython.final
cdef class Encoder:
    """Writes what a seat knows as a row of floats."""

    def encode(self, positions, seats=None, out=None):
        """Encodes States or Views."""
        positions = check_list(self.name, "positions", positions)
        seats = None if seats is None else check_list(self.name, "seats", seats)
        cdef Py_ssize_t rows = len(positions)
        cdef Py_ssize_t i
        cdef Position position
        cdef int seat, own
        array = float_rows(out, rows, self.width)
        cdef float[:, ::1] target = array
        if seats is not None and len(seats) != rows:
            raise ValueError(f"got {len(seats)} seats for {rows} positions")
        for i in range(rows):
            if not isinstance(positions[i], self.positions):
                raise ValueError(f"encoder {self.name} reads {self.scope}, not a {type(positions[i]).__name__}")
            position = positions[i]
            own = getattr(position, "seat", -1)
            if seats is not None:
                seat = index_of(seats[i], position.kernel.seats)
                if seat < 0:
                    raise ValueError(
                        f"seat {shown(seats[i])} of position {i} is not one of 0..{position.kernel.seats - 1}"
                    )
            else:
                seat = own if own >= 0 else position.kernel.to_act(position.data)
            if not 0 <= seat < position.kernel.seats:
                raise ValueError(f"position {i} has no seat to act: give the seat to encode it for")
            if own >= 0 and seat != own:
                raise ValueError(f"position {i} is the view of seat {own}, not of seat {seat}")
            if not self.reads(position.data, seat):
                raise ValueError(f"encoder {self.name} reads {self.scope}, not position {i} for seat {seat}")
            self.write(position.data, seat, &target[i, 0])
        return array

    def labels(self, positions):
        """The numbers that the features of Views give the 32 cards, uint8 [n, 32]."""
        positions = check_list(self.name, "positions", positions)
        cdef Py_ssize_t rows = len(positions)
        cdef Py_ssize_t i
        cdef Position position
        array = np.empty((rows, 32), np.uint8)
        array[:] = np.arange(32, dtype=np.uint8)
        cdef uint8_t[:, ::1] out = array
        if self.label != NULL:
            for i in range(rows):
                if not isinstance(positions[i], ViewMethods):
                    raise ValueError(f"encoder {self.name} labels views, not a {type(positions[i]).__name__}")
                position = positions[i]
                if not isinstance(position, self.positions) or not self.reads(position.data, position.seat):
                    raise ValueError(f"encoder {self.name} reads {self.scope}, not position {i}")
                self.label(position.data, position.seat, &out[i, 0])
        return array

    def __repr__(self):
        return f"get_encoder({self.name!r})"

    def __reduce__(self):
        return unpickled, (self.name,)


cdef Encoder make_encoder(
    str name, int version, tuple features, str scope, type positions, Writer write, Reader reads, Labeller label=NULL
):
    """An encoder made from C functions."""
    cdef Encoder encoder = Encoder.__new__(Encoder)
    encoder.name = name
    encoder.version = version
    encoder.features = features
    encoder.width = total_width(features)
    encoder.slices = slices(features)
    encoder.scope = scope
    encoder.positions = positions
    encoder.write = write
    encoder.reads = reads
    encoder.label = label
    return encoder


cdef object float_rows(object out, Py_ssize_t rows, int width):
    """`out` after a check of its shape, or a new array: float32 [rows, width]."""
    if out is None:
        return np.empty((rows, width), np.float32)
    if not isinstance(out, np.ndarray):
        raise ValueError(f"out is {shown(out)}: expected an array, float32 [{rows}, {width}], C-contiguous")
    if out.dtype != np.float32 or out.shape != (rows, width) or not out.flags.c_contiguous:
        raise ValueError(
            f"out is {out.dtype} {list(out.shape)}: expected float32 [{rows}, {width}], C-contiguous"
        )
    return out
