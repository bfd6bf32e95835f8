"""Networks whose layers after the first multiply bytes: four times as many at a time as floats, and nearly as exact."""

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks.network import Network

BYTES: tuple[int, ...]
"""The numbers of bytes that this processor multiplies at a time, the fastest first."""

class Int8Network:
    """A network of linear layers with rectified units between them; those after the first multiply bytes.

    Results are the same for every processor and every number of rows.

    Args:
        network: its weights are copied.
        width: one of `BYTES`; results do not depend on it.

    Raises:
        ValueError: if the network has other units, or a branch, or the processor does not multiply so many bytes.
    """

    def __init__(self, network: Network, width: int = ...) -> None: ...
    def folded(self, rows: NDArray[np.float32], differ: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Outputs in units of the network's scale, float32 [n, outputs], of float32 [n, inputs].

        Rows agree in all columns but those in `differ`, bool [inputs].

        Raises:
            ValueError: if the rows or `differ` have another width.
        """
