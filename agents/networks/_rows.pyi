"""Networks evaluated in C, each row by itself: its outputs depend on nothing but the row, to the last bit.

Results are the same for every number of rows and, with rectified units, for every processor. They differ from torch's
in the last bits.
"""

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks.network import Network, NetworkSpec

VECTORS: tuple[int, ...]
"""The numbers of floats that this processor multiplies at a time, the fastest first."""

class RowNetwork:
    """The layers of a network, or those of its branch.

    Args:
        network: its weights are copied.
        vector: one of `VECTORS`; results do not depend on it.
        layers: the number of the first layers that are evaluated; None: all.
        branch: whether to evaluate the layers of the branch, with units after the last. Else inputs are those of the
            layers behind it, which are the features where there is none.

    Raises:
        ValueError: if the processor has no such vectors.
    """

    inputs: int
    outputs: int
    scale: float
    spec: NetworkSpec
    name: str
    """What messages call it."""
    rows: int
    """Rows evaluated so far."""
    products: int
    """The multiplications that these took; those by 0 are left out."""
    seconds: float
    """The CPU time of the process that these took."""

    def __init__(
        self, network: Network, vector: int = ..., layers: int | None = None, branch: bool = False
    ) -> None: ...
    def __call__(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Outputs in units of the network's scale, float32 [n, outputs], of float32 [n, inputs].

        Raises:
            ValueError: if the rows have another width.
            NotFinite: if an output is not finite.
        """
    def folded(self, rows: NDArray[np.float32], differ: NDArray[np.bool_]) -> NDArray[np.float32]:
        """As a call, for rows that agree in all columns but those in `differ`, bool [inputs].

        What the others add to the first layer is worked out once, as if it were the bias: outputs differ from a call's
        in the last bits, and depend on which columns differ.

        Raises:
            ValueError: if the rows or `differ` have another width.
            NotFinite: if an output is not finite.
        """
