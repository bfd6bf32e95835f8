"""A value network on its way: its weights, its optimizer, its loss."""

from collections.abc import Mapping

import numpy as np
import torch
from torch.nn import functional

from agents.learners.replay_buffer import Rows
from agents.learners.run import TrainingFailed, optimizer_tensors, restore_optimizer
from agents.networks.network import Network, NetworkSpec
from skat_env.klaverjas.suits import shuffle_plain_suits

ENCODER = "klaverjas.perspective"
PAPER_HIDDEN = (1024, 512, 128, 16)
"""Aaldering 2023, section 3.3; the output is linear, as in the author's program."""


class ValueLearner:
    """Trains a value network of Klaverjas: squared error, Adam.

    Args:
        hidden: its widths.
        scale: points of one unit of output.
        bfloat16: whether training multiplies in bfloat16.
    """

    def __init__(self, hidden: tuple[int, ...], scale: float, bfloat16: bool = False) -> None:
        self.network = Network(NetworkSpec(ENCODER, 1, hidden, scale))
        self._optimizer = torch.optim.Adam(self.network.parameters(), fused=True)
        self._bfloat16 = bfloat16

    def step(self, rows: Rows, learning_rate: float, rng: np.random.Generator) -> float:
        """One step of the optimizer; the mean squared error in points.

        Raises:
            TrainingFailed: if it is not finite.
        """
        features = rows["features"].astype(np.float32)
        shuffle_plain_suits(features, rng)
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate
        self.network.train()
        loss = self._loss(features, rows["values"])
        if not np.isfinite(loss.item()):
            raise TrainingFailed(
                "the loss of the value network is not finite: training has failed; a lower learning rate may help. "
                "The last good state is kept"
            )
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimizer.step()
        self.network.eval()
        return loss.item() * self.network.spec.scale**2

    def error(self, rows: Rows) -> float:
        """The mean squared error in points."""
        with torch.inference_mode():
            loss = self._loss(rows["features"].astype(np.float32), rows["values"])
        return loss.item() * self.network.spec.scale**2

    def _loss(self, features: np.ndarray, values: np.ndarray) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=self._bfloat16):
            outputs = self.network(torch.from_numpy(features))[:, 0]
        return functional.mse_loss(outputs.float(), torch.from_numpy(values) / self.network.spec.scale)

    def tensors(self) -> dict[str, torch.Tensor]:
        """What `restore` needs."""
        weights = {f"value/{key}": tensor for key, tensor in self.network.weights().items()}
        return weights | optimizer_tensors("optimizer", self._optimizer)

    def restore(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Goes on from what `tensors` gave."""
        with torch.no_grad():
            for key, tensor in self.network.weights().items():
                tensor.copy_(tensors[f"value/{key}"])
        restore_optimizer("optimizer", self._optimizer, tensors)
        self.network.eval()
