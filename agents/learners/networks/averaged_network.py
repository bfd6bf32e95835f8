"""A network that learns by steps of Adam, and the running average of its weights."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from skat_env.agents.learners.config import PROCESSOR
from skat_env.agents.learners.networks._mlp import MLP
from skat_env.agents.learners.networks.torch_mlp import TorchMLP
from skat_env.agents.learners.networks.training_steps import TrainingSteps
from skat_env.agents.networks.network import Network


class AveragedNetwork:
    """A network in training.

    Args:
        name: its name in a run's state and checkpoint.
        network: what its weights are at first.
        averaging: the weight that the average keeps in a step.
        device: `cpu`, or another device of torch.

    Raises:
        ValueError: if it has other layers than linear ones with rectified units between them.
    """

    def __init__(self, name: str, network: Network, averaging: float, device: str) -> None:
        if network.spec.activation != "relu" or network.spec.branch:
            raise ValueError(f"{network.name} cannot learn here: expected rectified units and no branch")
        self.name, self.spec = name, network.spec
        self.encoder = network.encoder
        widths = (network.encoder.width, *network.spec.hidden, network.spec.outputs)
        self.mlp = MLP(widths, averaging) if device == PROCESSOR else TorchMLP(widths, averaging, device)
        """The weights, their average, and how they learn."""
        self.begin_with(network)

    def load(self, features: NDArray[np.float32]) -> Any:
        """Rows [n, inputs] as `mlp.outputs` and `fit` take them: if the device is no processor, a copy there.

        Raises:
            ValueError: if rows have another width.
        """
        return self.mlp.load(features) if isinstance(self.mlp, TorchMLP) else features

    def fit(self, steps: TrainingSteps) -> dict[str, float]:
        """Makes training steps; sums of the measures of their loss over rows, by name."""
        if isinstance(self.mlp, TorchMLP):
            return self.mlp.learn(steps)
        sums: dict[str, float] = defaultdict(float)
        for members in steps.batches:
            outputs = torch.from_numpy(self.mlp.forward(steps.parts, steps.rows[members]))
            columns = (torch.from_numpy(column[members]) for column in steps.columns)
            gradient, measures = steps.loss(outputs, *columns)
            self.mlp.step(gradient.numpy(), steps.learning_rate)
            for name, value in measures.items():
                sums[name] += float(value) * len(members)
        return dict(sums)

    def begin_with(self, network: Network) -> None:
        """Takes the weights of a network of the same kind."""
        weights = network.weights()
        for number in range(len(weights) // 2):
            weight, bias = (weights[f"{number}.{kind}"] for kind in ("weight", "bias"))
            matrix = np.concatenate((weight, bias[:, None]), axis=1)
            for kind in ("weights", "average"):
                self.mlp.set_matrix(number, matrix, kind)

    def average(self) -> Network:
        """The network of the averaged weights."""
        weights = {}
        for number in range(len(self.spec.hidden) + 1):
            matrix = self.mlp.matrix(number, "average")
            weights[f"{number}.weight"], weights[f"{number}.bias"] = matrix[:, :-1], matrix[:, -1]
        return Network(self.spec, weights)

    def tensors(self) -> dict[str, torch.Tensor]:
        """What `restore` needs."""
        return {f"{self.name}/{kind}": torch.from_numpy(each) for kind, each in self.mlp.arrays().items()}

    def restore(self, steps: int, tensors: Mapping[str, torch.Tensor]) -> None:
        """The inverse of `tensors`."""
        self.mlp.steps = steps
        self.mlp.set_arrays({kind: tensors[f"{self.name}/{kind}"].numpy() for kind in self.mlp.arrays()})
