"""Products of rows that are mostly 0, in C: the other entries are found once, for a layer and for its gradient."""

import numpy as np
from numpy.typing import NDArray

class SparseRows:
    """The entries of a matrix that are not 0.

    Args:
        dense: float32 [rows, columns]; it is not kept.
    """

    rows: int
    columns: int

    def __init__(self, dense: NDArray[np.float32]) -> None: ...
    def times(
        self, matrix: NDArray[np.float32], start: NDArray[np.float32], out: NDArray[np.float32]
    ) -> None:
        """Writes `start` + these rows times `matrix` into `out`; sums are taken column by column.

        Args:
            matrix: float32 [columns, width].
            start: float32 [width].
            out: float32 [rows, width].

        Raises:
            ValueError: if one has another shape.
        """

    def transposed_times(self, matrix: NDArray[np.float32], out: NDArray[np.float32]) -> None:
        """Writes the transpose of these rows times `matrix` into `out`; sums are taken row by row.

        Args:
            matrix: float32 [rows, width].
            out: float32 [columns, width].

        Raises:
            ValueError: if one has another shape.
        """
