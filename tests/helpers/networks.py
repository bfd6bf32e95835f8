"""Networks of random weights, and networks whose weights are changed."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks.network import Network, NetworkSpec

Arrays = dict[str, NDArray[np.float32]]


def random_network(spec: NetworkSpec, scale: float = 1.0) -> Network:
    """A network with the weights that torch's generator gives it, times a factor."""
    from skat_env.agents.learners.networks.network_module import NetworkModule

    network = NetworkModule(spec).frozen()
    arrays = {key: array * np.float32(scale) for key, array in network.weights().items()}
    return Network(spec, arrays)


def changed(network: Network, change: Callable[[Arrays], Any]) -> Network:
    """The network with other weights: `change` writes to a copy of the arrays."""
    arrays = {key: array.copy() for key, array in network.weights().items()}
    change(arrays)
    return Network(network.spec, arrays, network.name)
