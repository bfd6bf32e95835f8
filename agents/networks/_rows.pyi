"""Networks evaluated in C, each row by itself: its outputs depend on nothing but the row, to the last bit.

Results are the same for every number of rows and, with rectified units, for every processor. They differ from torch's
in the last bits.
"""

from skat_env.agents.networks._evaluated import EvaluatedNetwork
from skat_env.agents.networks.network import Network

VECTORS: tuple[int, ...]
"""The numbers of floats that this processor multiplies at a time, the fastest first."""

class RowNetwork(EvaluatedNetwork):
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

    def __init__(
        self, network: Network, vector: int = ..., layers: int | None = None, branch: bool = False
    ) -> None: ...
