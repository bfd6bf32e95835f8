"""Networks whose layers after the first multiply bytes: four times as many at a time as floats, and nearly as exact."""

from skat_env.agents.networks._evaluated import EvaluatedNetwork
from skat_env.agents.networks.network import Network

BYTES: tuple[int, ...]
"""The numbers of bytes that this processor multiplies at a time, the fastest first."""

class Int8Network(EvaluatedNetwork):
    """A network of linear layers with rectified units between them; those after the first multiply bytes.

    Results are the same for every processor and every number of rows.

    Args:
        network: its weights are copied.
        width: one of `BYTES`; results do not depend on it.

    Raises:
        ValueError: if the network has other units, or a branch, or the processor does not multiply so many bytes.
    """

    def __init__(self, network: Network, width: int = ...) -> None: ...
