"""A network that learns by steps of Adam, and the running average of its weights."""

import copy
from collections.abc import Mapping

import torch

from skat_env.agents.learners.optimizer import Adam
from skat_env.agents.networks.network import Network


class AveragedNetwork:
    """A network in training.

    Args:
        name: its name in a run's state and checkpoint.
        network: the network, whose weights change.
        averaging: the weight that the average keeps in a step.
    """

    def __init__(self, name: str, network: Network, averaging: float) -> None:
        self.name, self.network, self.steps = name, network, 0
        self.average = copy.deepcopy(network).eval().requires_grad_(False)
        self._averaging = averaging
        self._adam = Adam(network)

    def step(self, loss: torch.Tensor, learning_rate: float) -> None:
        """Moves the weights against the gradient of a loss, and the average after them."""
        self._adam.step(loss, learning_rate)
        self.steps += 1
        # The first weights say little, so the average forgets them faster.
        kept = min(self._averaging, self.steps / (self.steps + 10))
        with torch.no_grad():
            for average, weight in zip(self.average.parameters(), self.network.parameters(), strict=True):
                average.lerp_(weight, 1 - kept)

    def begin_with(self, network: Network) -> None:
        """Takes the weights of another network of the same kind."""
        for own in (self.network, self.average):
            own.load_state_dict(network.state_dict())

    def tensors(self) -> dict[str, torch.Tensor]:
        """What `restore` needs."""
        return {
            **{f"{self.name}/weights/{key}": tensor for key, tensor in self.network.weights().items()},
            **{f"{self.name}/average/{key}": tensor for key, tensor in self.average.weights().items()},
            **self._adam.tensors(f"{self.name}/adam"),
        }

    def restore(self, steps: int, tensors: Mapping[str, torch.Tensor]) -> None:
        """The inverse of `tensors`."""
        self.steps = steps
        self.network.set_weights(tensors, f"{self.name}/weights/")
        self.average.set_weights(tensors, f"{self.name}/average/")
        self._adam.restore(f"{self.name}/adam", tensors)
