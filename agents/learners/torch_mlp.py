"""A multilayer perceptron in training on a device of torch: the twin of `MLP` for networks and waves that are large."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import pad


class TorchMLP:
    """Linear layers with rectified units between them, the average of their weights, and Adam, as `MLP` has them.

    Results are those of `MLP` but for rounding.

    Args:
        widths: of the inputs, and of the outputs of each layer. All weights are 0.
        averaging: the weight that the average keeps in a step.
        device: of torch, as `cuda`.
    """

    def __init__(self, widths: Sequence[int], averaging: float, device: str) -> None:
        self.widths, self.steps = tuple(widths), 0
        self._averaging, self._device = averaging, device
        self._shapes = [(outputs, inputs + 1) for inputs, outputs in pairwise(widths)]
        size = sum(rows * columns for rows, columns in self._shapes)
        self._arrays = {
            kind: torch.zeros(size, device=device) for kind in ("weights", "average", "first", "second")
        }
        self._gradient = torch.zeros(size, device=device)
        self._inputs: list[torch.Tensor] = []
        """What each layer read in the last forward pass, [m, inputs + 1]: the last column is 1."""

    def _layers(self, flat: torch.Tensor) -> list[torch.Tensor]:
        """Views of the matrices of all layers, [outputs, inputs + 1]: the last column is the bias."""
        parts = torch.split(flat, [rows * columns for rows, columns in self._shapes])
        return [part.view(shape) for part, shape in zip(parts, self._shapes, strict=True)]

    def _passed(self, features: NDArray[np.float32], kind: str) -> tuple[list[torch.Tensor], torch.Tensor]:
        """What each layer reads, and the outputs."""
        if features.shape[1] != self.widths[0]:
            raise ValueError(f"rows have {features.shape[1]} features, the network reads {self.widths[0]}")
        values, inputs = torch.from_numpy(features).to(self._device), []
        for number, matrix in enumerate(self._layers(self._arrays[kind])):
            inputs.append(pad(values.relu_() if number else values, (0, 1), value=1.0))
            values = inputs[-1] @ matrix.T
        return inputs, values

    def outputs(self, features: NDArray[np.float32], average: bool = False) -> NDArray[np.float32]:
        """As `MLP.outputs`."""
        _, found = self._passed(features, "average" if average else "weights")
        return found.cpu().numpy()

    def forward(self, parts: list[NDArray[np.float32]], members: NDArray[np.int64]) -> NDArray[np.float32]:
        """As `MLP.forward`."""
        starts = np.cumsum([0, *map(len, parts)])
        if len(members) and not 0 <= members.min() <= members.max() < starts[-1]:
            raise IndexError(f"got rows {members.min()} to {members.max()} of {starts[-1]}")
        rows = np.empty((len(members), parts[0].shape[1]), np.float32)
        part = np.searchsorted(starts, members, "right") - 1
        for number in np.unique(part):
            own = np.flatnonzero(part == number)
            rows[own] = parts[number][members[own] - starts[number]]
        self._inputs, found = self._passed(rows, "weights")
        return found.cpu().numpy()

    def step(self, gradient: NDArray[np.float32], learning_rate: float) -> None:
        """As `MLP.step`."""
        rows = len(self._inputs[0]) if self._inputs else 0
        if not rows or gradient.shape != (rows, self.widths[-1]):
            raise ValueError(
                f"a gradient {list(gradient.shape)} after a forward pass of {rows} rows: "
                f"expected one or more, and [{rows}, {self.widths[-1]}]"
            )
        self.steps += 1
        # The first weights say little, so the average forgets them faster.
        kept = min(self._averaging, self.steps / (self.steps + 10))
        root = (1 - 0.999**self.steps) ** -0.5
        weights, average, first, second = self._arrays.values()
        matrices, slopes = self._layers(weights), self._layers(self._gradient)
        above = torch.from_numpy(gradient).to(self._device)
        for number in range(len(matrices) - 1, -1, -1):
            inputs = self._inputs[number]
            torch.mm(above.T, inputs, out=slopes[number])
            if number:
                above = (above @ matrices[number][:, :-1]).mul_(inputs[:, :-1] > 0)
        first.lerp_(self._gradient, 0.1)
        second.mul_(0.999).addcmul_(self._gradient, self._gradient, value=0.001)
        scale = second.sqrt().mul_(root).add_(1e-8)
        weights.addcdiv_(first, scale, value=-learning_rate / (1 - 0.9**self.steps))
        average.lerp_(weights, 1 - kept)
        self._inputs = []

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """As `MLP.arrays`, but copies where the device is no processor."""
        return {kind: each.cpu().numpy() for kind, each in self._arrays.items()}

    def set_arrays(self, arrays: Mapping[str, NDArray[np.float32]]) -> None:
        """As `MLP.set_arrays`."""
        for kind, each in self._arrays.items():
            each.copy_(torch.from_numpy(arrays[kind]))

    def matrix(self, number: int, kind: str = "weights") -> NDArray[np.float32]:
        """As `MLP.matrix`."""
        return self._layers(self._arrays[kind])[number].cpu().numpy().copy()

    def set_matrix(self, number: int, matrix: NDArray[np.float32], kind: str = "weights") -> None:
        """As `MLP.set_matrix`."""
        self._layers(self._arrays[kind])[number].copy_(torch.from_numpy(matrix))
