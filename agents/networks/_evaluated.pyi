"""Networks evaluated in C: what those of floats and those of bytes have in common."""

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks.network import NetworkSpec

class EvaluatedNetwork:
    """A network as it is evaluated; its kinds say how. Outputs of a row do not depend on the other rows."""

    inputs: int
    outputs: int
    scale: float
    spec: NetworkSpec
    name: str
    """What messages call it."""
    rows: int
    """Rows evaluated so far."""
    products: int
    """The multiplications that these took; those by 0 are left out, but for bytes."""
    seconds: float
    """The CPU time of the process that these took."""

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
