"""A faster forward pass for rows that agree in most columns, such as the worlds of one position."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from skat_env.agents.networks._int8 import Int8Network
from skat_env.agents.networks._rows import RowNetwork, is_row_network
from skat_env.agents.networks.network import Network


class FoldedNetwork:
    """Evaluates a network; in its first layer, the columns in which all rows agree are folded into the bias.

    Args:
        network: its weights are copied.
        int8: whether layers after the first multiply bytes, as `Int8Network` does; only where units are rectified.
    """

    def __init__(self, network: Network, int8: bool = False) -> None:
        self.encoder = network.encoder
        self._made_of = network, int8
        self._by_row: RowNetwork | Int8Network | None = None
        if is_row_network(network):
            self._by_row = Int8Network(network) if int8 else RowNetwork(network)
        weights = network.weights()
        self._columns = weights["0.weight"].detach().T.contiguous()
        self._bias = weights["0.bias"].detach()
        self._rest = network.layers[1:]

    def __reduce__(self) -> tuple[Any, ...]:
        return FoldedNetwork, self._made_of

    def __call__(self, rows: NDArray[np.float32], differ: NDArray[np.bool_]) -> NDArray[np.float32]:
        """float32 [n, encoder.width] -> float32 [n, outputs], in units of the network's scale; not for training.

        Args:
            rows: the features, at least one row.
            differ: bool [encoder.width], the columns that may differ; in the others all rows are equal.
        """
        if self._by_row is not None:
            return self._by_row.folded(rows, differ)
        chosen = torch.from_numpy(np.flatnonzero(differ))
        shared = torch.from_numpy(np.where(differ, np.float32(0), rows[0]))
        bias: Any = torch.addmv(self._bias, self._columns.T, shared)
        some = torch.from_numpy(rows).index_select(1, chosen)
        outputs: torch.Tensor = self._rest(torch.addmm(bias, some, self._columns.index_select(0, chosen)))
        return np.asarray(outputs.numpy())
