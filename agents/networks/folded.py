"""A network asked about rows that are alike in most columns, as worlds of one position are."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from agents.networks.network import Network


class FoldedNetwork:
    """The outputs of a network, its first layer multiplied only where rows differ: what all share is a bias."""

    def __init__(self, network: Network) -> None:
        self.encoder = network.encoder
        weights = network.weights()
        self._columns = weights["0.weight"].detach().T.contiguous()
        self._bias = weights["0.bias"].detach()
        self._rest = network.layers[1:]

    def __call__(self, rows: NDArray[np.float32], differ: NDArray[np.bool_]) -> NDArray[np.float32]:
        """float32 [n, encoder.width] -> float32 [n, outputs], in units of the network's scale; not for training.

        Args:
            rows: at least one.
            differ: bool [encoder.width]; in every other column all rows are equal.
        """
        chosen = torch.from_numpy(np.flatnonzero(differ))
        shared = torch.from_numpy(np.where(differ, np.float32(0), rows[0]))
        bias: Any = torch.addmv(self._bias, self._columns.T, shared)
        some = torch.from_numpy(rows).index_select(1, chosen)
        outputs: torch.Tensor = self._rest(torch.addmm(bias, some, self._columns.index_select(0, chosen)))
        return np.asarray(outputs.numpy())
