"""One value network in training: its weights, its optimizer, its loss."""

from collections.abc import Mapping

import numpy as np
import torch
from torch.nn import functional

from skat_env.agents.learners.experience.memory import Rows
from skat_env.agents.learners.networks.network_module import NetworkModule
from skat_env.agents.learners.networks.optimizer import Adam
from skat_env.agents.learners.networks.precision import Precision, autocast
from skat_env.agents.learners.run import TrainingFailed
from skat_env.agents.networks.network import NetworkSpec
from skat_env.agents.networks.value_network import ValueNetwork
from skat_env.registry import get_part

PAPER_HIDDEN = (1024, 512, 128, 16)
"""Hidden widths of Aaldering 2023, section 3.3; the output is linear, as in the author's program."""


def value_spec(game: str, hidden: tuple[int, ...], scale: float) -> NetworkSpec:
    """The specification of a game's value network.

    Raises:
        ValueError: if the game has none.
    """
    layout: ValueNetwork = get_part(game, "value_network")
    return NetworkSpec(layout.encoder, 1, hidden, scale)


class ValueLearner:
    """Trains the value network of a game by Adam on the squared error.

    Args:
        game: the game's name.
        hidden: widths of the hidden layers.
        scale: points of one unit of output.
        precision: of matrix products in training, where the processor has it.

    Raises:
        ValueError: if the game has no value network.
    """

    def __init__(
        self, game: str, hidden: tuple[int, ...], scale: float, precision: Precision = "float32"
    ) -> None:
        self.network = NetworkModule(value_spec(game, hidden, scale))
        layout: ValueNetwork = get_part(game, "value_network")
        self._shuffle = layout.shuffle
        self._adam = Adam(self.network)
        self._precision = precision

    def step(self, rows: Rows, learning_rate: float, rng: np.random.Generator) -> float:
        """Makes one training step; returns the mean squared error in points.

        Raises:
            TrainingFailed: if it is not finite.
        """
        features = rows["features"].astype(np.float32)
        self._shuffle(features, rng)
        self.network.train()
        loss = self._loss(features, rows["values"])
        if not np.isfinite(loss.item()):
            raise TrainingFailed("the loss of the value network", loss.item())
        self._adam.step(loss, learning_rate)
        self.network.eval()
        return loss.item() * self.network.spec.scale**2

    def error(self, rows: Rows) -> float:
        """The mean squared error in points."""
        with torch.inference_mode():
            loss = self._loss(rows["features"].astype(np.float32), rows["values"])
        return loss.item() * self.network.spec.scale**2

    def _loss(self, features: np.ndarray, values: np.ndarray) -> torch.Tensor:
        with autocast(self._precision):
            outputs = self.network(torch.from_numpy(features))[:, 0]
        return functional.mse_loss(outputs.float(), torch.from_numpy(values) / self.network.spec.scale)

    def tensors(self) -> dict[str, torch.Tensor]:
        """What `restore` needs."""
        weights = {f"value/{key}": tensor for key, tensor in self.network.weights().items()}
        return weights | self._adam.tensors("optimizer")

    def restore(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Continues from what `tensors` gave."""
        self.network.set_weights(tensors, "value/")
        self._adam.restore("optimizer", tensors)
        self.network.eval()
