"""A multilayer perceptron in training on a device of torch: the twin of `MLP` for networks and waves that are large.

What a wave needs is loaded once, and on a graphics card each training step is one launch of a recorded graph.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from threading import Lock
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from skat_env.agents.learners.networks.training_steps import Loss, TrainingSteps

BLOCK: Final = 64
"""A step's rows are rounded up to a multiple of it, as waves have steps of about as many."""
ROOM: Final = 1.25
"""How much more memory than needed is taken, so that the next waves find enough."""
RECORDING: Final = Lock()


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
        self._averaging, self.device = averaging, torch.device(device)
        self._shapes = [(outputs, inputs + 1) for inputs, outputs in pairwise(widths)]
        size = sum(rows * columns for rows, columns in self._shapes)
        self._arrays = {
            kind: torch.zeros(size, device=device) for kind in ("weights", "average", "first", "second")
        }
        self._gradient = torch.zeros(size, device=device)
        self._matrices = {kind: self._layers(flat) for kind, flat in self._arrays.items()}
        self._slopes = self._layers(self._gradient)
        self._course: _Course | None = None

    def load(self, features: NDArray[np.float32]) -> torch.Tensor:
        """Rows [n, inputs] as `outputs` and `learn` take them, which the device keeps.

        Raises:
            ValueError: if rows have another width.
        """
        if features.shape[1] != self.widths[0]:
            raise ValueError(f"rows have {features.shape[1]} features, the network reads {self.widths[0]}")
        return torch.from_numpy(features).to(self.device, copy=True)

    def outputs(self, features: torch.Tensor, average: bool = False) -> NDArray[np.float32]:
        """As `MLP.outputs`, of loaded rows."""
        found, _ = self.forward(features, "average" if average else "weights")
        return found.cpu().numpy()

    def learn(self, steps: TrainingSteps) -> dict[str, float]:
        """As `AveragedNetwork.fit`."""
        if not steps.batches:
            return {}
        if self._course is None or not self._course.fits(steps):
            self._course = _Course(self, steps)
        self._course.load(steps)
        return self._course.run(self._rates(steps))

    def _rates(self, steps: TrainingSteps) -> torch.Tensor:
        """For each step float32 [4]: what corrects Adam's moments, what the average forgets, and the rows."""
        found = []
        for batch in steps.batches:
            self.steps += 1
            # The first weights say little, so the average forgets them faster.
            kept = min(self._averaging, self.steps / (self.steps + 10))
            rate, root = steps.learning_rate / (1 - 0.9**self.steps), (1 - 0.999**self.steps) ** -0.5
            found.append((rate, root, 1 - kept, len(batch)))
        return torch.tensor(found, device=self.device)

    def _layers(self, flat: torch.Tensor) -> list[torch.Tensor]:
        """Views of the matrices of all layers, [outputs, inputs + 1]: the last column is the bias."""
        parts = torch.split(flat, [rows * columns for rows, columns in self._shapes])
        return [part.view(shape) for part, shape in zip(parts, self._shapes, strict=True)]

    def forward(self, values: torch.Tensor, kind: str) -> tuple[torch.Tensor, list[torch.Tensor]]:
        """The outputs of loaded rows by a kind of `arrays`, and what each layer reads."""
        inputs = []
        for number, matrix in enumerate(self._matrices[kind]):
            inputs.append(values.relu_() if number else values)
            values = torch.addmm(matrix[:, -1], values, matrix[:, :-1].T)
        return values, inputs

    def backward(self, above: torch.Tensor, inputs: Sequence[torch.Tensor]) -> None:
        """Writes the gradient of the weights by that of the outputs, and what each layer read."""
        matrices = self._matrices["weights"]
        for number in range(len(matrices) - 1, -1, -1):
            self._slopes[number][:, :-1] = above.T @ inputs[number]
            self._slopes[number][:, -1] = above.sum(0)
            if number:
                above = (above @ matrices[number][:, :-1]).mul_(inputs[number] > 0)

    def step(self, rate: torch.Tensor, root: torch.Tensor, forgotten: torch.Tensor) -> None:
        """A step of Adam (Kingma and Ba 2015, algorithm 1), and the average after it."""
        weights, average, first, second = self._arrays.values()
        first.lerp_(self._gradient, 0.1)
        second.mul_(0.999).addcmul_(self._gradient, self._gradient, value=0.001)
        weights.sub_((first * rate).div_(second.sqrt().mul_(root).add_(1e-8)))
        average.lerp_(weights, forgotten)

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """As `MLP.arrays`, but copies where the device is no processor."""
        return {kind: each.cpu().numpy() for kind, each in self._arrays.items()}

    def set_arrays(self, arrays: Mapping[str, NDArray[np.float32]]) -> None:
        """As `MLP.set_arrays`."""
        for kind, each in self._arrays.items():
            each.copy_(torch.from_numpy(arrays[kind]))

    def matrix(self, number: int, kind: str = "weights") -> NDArray[np.float32]:
        """As `MLP.matrix`."""
        return self._matrices[kind][number].cpu().numpy().copy()

    def set_matrix(self, number: int, matrix: NDArray[np.float32], kind: str = "weights") -> None:
        """As `MLP.set_matrix`."""
        self._matrices[kind][number].copy_(torch.from_numpy(matrix))


class _Course:
    """The training steps of a wave: their rows in memory that stays where it is, so that a graph of a step can be kept.

    Every step has the same number of rows; those that it lacks are a last row of zeros, and of weight 0.
    """

    def __init__(self, mlp: TorchMLP, steps: TrainingSteps) -> None:
        self._mlp, self._device = mlp, mlp.device
        self._loss: Loss = steps.loss
        self._size = -(-max(map(len, steps.batches)) // BLOCK) * BLOCK
        self._rows, self._steps = int(len(steps.rows) * ROOM) + 1, int(len(steps.batches) * ROOM) + 1

        def zeros(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
            return torch.zeros(shape, dtype=dtype, device=self._device)

        self._features = zeros(self._rows, mlp.widths[0])
        self._columns = [
            zeros(self._rows, *each.shape[1:], dtype=torch.from_numpy(each[:0]).dtype)
            for each in steps.columns
        ]
        self._order = zeros(self._steps, self._size, dtype=torch.int64)
        self._rates = zeros(self._steps, 4)
        self._next = zeros(1, dtype=torch.int64)
        """The number of the next step."""
        self._sums: dict[str, torch.Tensor] = {}
        self._graph: torch.cuda.CUDAGraph | None = None

    def fits(self, steps: TrainingSteps) -> bool:
        """Whether there is room for the steps of another wave, of the same loss."""
        return (
            len(steps.rows) < self._rows
            and len(steps.batches) <= self._steps
            and max(map(len, steps.batches)) <= self._size
            and steps.loss == self._loss
        )

    def load(self, steps: TrainingSteps) -> None:
        """Takes the rows of a wave."""
        rows, batches = steps.rows, steps.batches
        count, total = len(rows), sum(map(len, steps.parts))
        if count and not 0 <= rows.min() <= rows.max() < total:
            raise IndexError(f"got rows {rows.min()} to {rows.max()} of {total}")
        chosen = torch.from_numpy(rows).to(self._device)
        torch.index_select(torch.cat(steps.parts), 0, chosen, out=self._features[:count])
        self._features[count] = 0
        for mine, column in zip(self._columns, steps.columns, strict=True):
            mine[:count] = torch.from_numpy(column).to(self._device)
            mine[count] = 0
        order = np.full((len(batches), self._size), count, np.int64)
        for step, batch in enumerate(batches):
            order[step, : len(batch)] = batch
        self._order[: len(batches)] = torch.from_numpy(order).to(self._device)

    def run(self, rates: torch.Tensor) -> dict[str, float]:
        """Makes the loaded steps, with `TorchMLP._rates` of each; the sums of their measures."""
        self._rates[: len(rates)] = rates
        self._next.zero_()
        for each in self._sums.values():
            each.zero_()
        for _ in range(len(rates)):
            if self._graph is not None:
                self._graph.replay()
                continue
            self._step()
            if self._device.type == "cuda":
                self._graph = self._recorded()
        return {name: float(each) for name, each in self._sums.items()}

    def _recorded(self) -> torch.cuda.CUDAGraph:
        """The graph of a step, which is not made."""
        graph = torch.cuda.CUDAGraph()
        # Other networks learn on other threads, one of which records at a time.
        with RECORDING, torch.cuda.graph(graph, capture_error_mode="thread_local"):
            self._step()
        return graph

    def _step(self) -> None:
        mlp = self._mlp
        members = self._order[self._next].view(-1)
        rate, root, forgotten, rows = self._rates[self._next].view(-1).unbind()
        outputs, inputs = mlp.forward(self._features[members], "weights")
        gradient, measures = self._loss(outputs, *(column[members] for column in self._columns))
        mlp.backward(gradient, inputs)
        mlp.step(rate, root, forgotten)
        for name, measure in measures.items():
            if name not in self._sums:
                self._sums[name] = torch.zeros((), device=self._device)
            self._sums[name].add_(measure * rows)
        self._next.add_(1)
