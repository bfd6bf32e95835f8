"""One policy-value network in training: its weights, its optimizer, its loss."""

from collections.abc import Mapping

import numpy as np
import torch
from torch.nn import functional

from skat_env.agents.learners.experience.memory import Rows
from skat_env.agents.learners.networks.network_module import ILLEGAL, NetworkModule
from skat_env.agents.learners.networks.optimizer import Adam
from skat_env.agents.learners.networks.precision import Precision, autocast
from skat_env.agents.learners.run import TrainingFailed
from skat_env.agents.networks.card_networks import CARDS, card_networks
from skat_env.registry import get_part, has_part


class PolicyValueLearner:
    """Trains one network by Adam on the cross-entropy with a search's weights and the squared error of the value.

    Args:
        game: the game's name. Its part `card_shuffle`, if it has one, gives the suits of each batch another order.
        name: the network's name.
        hidden: widths of the hidden layers.
        value_weight: weight of the squared error in the loss.
        precision: of matrix products in training, where the processor has it.
    """

    def __init__(
        self,
        game: str,
        name: str,
        hidden: tuple[int, ...],
        value_weight: float,
        precision: Precision = "float32",
    ) -> None:
        self.name = name
        self.network = NetworkModule(card_networks(game).spec(name, hidden))
        self._adam = Adam(self.network)
        self._value_weight = value_weight
        self._precision = precision
        self._shuffle = get_part(game, "card_shuffle") if has_part(game, "card_shuffle") else None

    def step(self, rows: Rows, rng: np.random.Generator, learning_rate: float) -> dict[str, float]:
        """Makes one training step; returns the losses.

        Raises:
            TrainingFailed: if one is not finite.
        """
        if self._shuffle is not None:
            rows = self._shuffle(rows, rng)
        self.network.train()
        policy, value, _ = self._losses(rows)
        loss = policy + self._value_weight * value
        figures = {"policy_loss": policy.item(), "value_loss": value.item()}
        if not np.isfinite(loss.item()):
            raise TrainingFailed(f"the loss of {self.name}", loss.item())
        self._adam.step(loss, learning_rate)
        self.network.eval()
        return figures

    def measure(self, rows: Rows) -> dict[str, float]:
        """The losses, and the share of decisions in which the likeliest card is the search's."""
        with torch.inference_mode():
            policy, value, logits = self._losses(rows)
            hits = logits.argmax(dim=1).numpy() == rows["targets"].argmax(axis=1)
        return {
            "policy_loss": policy.item(),
            "value_loss": value.item(),
            "accuracy": float(hits.mean()),
        }

    def _losses(self, rows: Rows) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """The loss of the policy, the loss of the value, and the logits of the cards."""
        features = torch.from_numpy(rows["features"].astype(np.float32))
        with autocast(self._precision):
            outputs = self.network(features)
        outputs = outputs.float()
        logits = outputs[:, :CARDS].masked_fill(~torch.from_numpy(rows["legal"]), ILLEGAL)
        targets = torch.from_numpy(rows["targets"].astype(np.float32))
        policy = functional.cross_entropy(logits, targets)
        return policy, functional.mse_loss(outputs[:, CARDS], torch.from_numpy(rows["values"])), logits

    def tensors(self) -> dict[str, torch.Tensor]:
        """What `restore` needs."""
        weights = {f"{self.name}/{key}": tensor for key, tensor in self.network.weights().items()}
        return weights | self._adam.tensors(f"optimizer.{self.name}")

    def restore(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Continues from what `tensors` gave."""
        self.network.set_weights(tensors, f"{self.name}/")
        self._adam.restore(f"optimizer.{self.name}", tensors)
        self.network.eval()
