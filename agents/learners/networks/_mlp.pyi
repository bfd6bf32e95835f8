"""A multilayer perceptron in training, in C."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

VECTORS: Final[tuple[int, ...]]
"""The numbers of floats that this processor multiplies at a time, the fastest first."""

class Pass:
    """Memory for the forward pass of some rows; only `MLP` makes it."""

class Back:
    """Memory for the backward pass of a block of rows; only `MLP` makes it."""

class MLP:
    """Linear layers with rectified units between them, the average of their weights, and Adam.

    What is 0 costs nothing: features, units that rest, and their gradients. The results are the same on every
    processor, to the last bit, and the outputs of a row depend on no other row.

    Args:
        widths: of the inputs, and of the outputs of each layer. All weights are 0.
        averaging: the weight that the average keeps in a step.
        vector: how many floats are multiplied at a time, one of `VECTORS`.

    Raises:
        ValueError: if there are too few or too many layers, or the processor has no such vectors.
    """

    widths: tuple[int, ...]
    steps: int
    """Of Adam so far."""

    def __init__(self, widths: Sequence[int], averaging: float, vector: int = ...) -> None: ...
    def outputs(self, features: NDArray[np.float32], average: bool = False) -> NDArray[np.float32]:
        """Outputs float32 [n, outputs] of float32 [n, inputs]; may be called on several threads at a time.

        Args:
            features: of the rows.
            average: whether by the average of the weights.

        Raises:
            ValueError: if rows have another width.
        """

    def forward(self, parts: list[NDArray[np.float32]], members: NDArray[np.int64]) -> NDArray[np.float32]:
        """Outputs float32 [m, outputs] of some rows, and what `step` needs to learn from them.

        Args:
            parts: rows, float32 [n, inputs] each, which are numbered through.
            members: int64 [m], the numbers of these.

        Raises:
            ValueError: if rows have another width.
            IndexError: if there is no such row.
        """

    def step(self, gradient: NDArray[np.float32], learning_rate: float) -> None:
        """A step of Adam (Kingma and Ba 2015) from the rows of the last `forward`, and the average after it.

        Args:
            gradient: float32 [m, outputs], of the loss with respect to what `forward` returned.
            learning_rate: of Adam.

        Raises:
            ValueError: if the gradient has another shape, or there is nothing to learn from.
        """

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Views of the `weights`, their `average`, and the `first` and `second` moments of Adam; flat."""

    def set_arrays(self, arrays: Mapping[str, NDArray[np.float32]]) -> None:
        """The inverse of `arrays`."""

    def matrix(self, number: int, kind: str = "weights") -> NDArray[np.float32]:
        """The weights of a layer, float32 [outputs, inputs + 1]; the last column is the bias. A copy.

        Args:
            number: of the layer.
            kind: one of the names of `arrays`.

        Raises:
            IndexError: if there is no such layer.
        """

    def set_matrix(self, number: int, matrix: NDArray[Any], kind: str = "weights") -> None:
        """The inverse of `matrix`.

        Raises:
            ValueError: if it has another shape.
        """
