"""One policy-value network on its way: its weights, its optimizer, its loss."""

from collections.abc import Mapping

import numpy as np
import torch
from torch.nn import functional

from agents.learners.policy_value_rows import shuffle_plain_suits
from agents.learners.replay_buffer import Rows
from agents.learners.run import TrainingFailed, optimizer_tensors, restore_optimizer
from agents.networks.card_networks import CARDS, card_networks
from agents.networks.network import ILLEGAL, Network


class PolicyValueLearner:
    """Trains one network: cross-entropy with the search's weights, squared error of the value; Adam.

    Args:
        game: the game's name.
        name: of the network.
        hidden: its widths.
        learning_rate: of Adam.
        value_weight: of the squared error in the loss.
        bfloat16: whether training multiplies in bfloat16.
    """

    def __init__(
        self,
        game: str,
        name: str,
        hidden: tuple[int, ...],
        learning_rate: float,
        value_weight: float,
        bfloat16: bool = False,
    ) -> None:
        self.name = name
        self.network = Network(card_networks(game).spec(name, hidden))
        self._optimizer = torch.optim.Adam(self.network.parameters(), learning_rate, fused=True)
        self._value_weight = value_weight
        self._bfloat16 = bfloat16
        self._game = game

    def step(self, rows: Rows, rng: np.random.Generator, learning_rate: float) -> dict[str, float]:
        """One step of the optimizer; the losses.

        Raises:
            TrainingFailed: if one is not finite.
        """
        if self._game == "klaverjas":
            rows = shuffle_plain_suits(rows, rng)
        self.network.train()
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate
        policy, value, _ = self._losses(rows)
        loss = policy + self._value_weight * value
        figures = {"policy_loss": policy.item(), "value_loss": value.item()}
        if not np.isfinite(loss.item()):
            raise TrainingFailed(
                f"the loss of {self.name} is not finite: training has failed; a lower learning rate may help. The "
                "last good state is kept"
            )
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self._optimizer.step()
        self.network.eval()
        return figures

    def measure(self, rows: Rows) -> dict[str, float]:
        """The losses, and the share of decisions where the likeliest card is the search's."""
        with torch.inference_mode():
            policy, value, logits = self._losses(rows)
            hits = logits.argmax(dim=1).numpy() == rows["targets"].argmax(axis=1)
        return {
            "policy_loss": policy.item(),
            "value_loss": value.item(),
            "accuracy": float(hits.mean()),
        }

    def _losses(self, rows: Rows) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Of the policy and of the value, and the logits of the cards."""
        features = torch.from_numpy(rows["features"].astype(np.float32))
        with torch.autocast("cpu", torch.bfloat16, enabled=self._bfloat16):
            outputs = self.network(features)
        outputs = outputs.float()
        logits = outputs[:, :CARDS].masked_fill(~torch.from_numpy(rows["legal"]), ILLEGAL)
        targets = torch.from_numpy(rows["targets"].astype(np.float32))
        policy = functional.cross_entropy(logits, targets)
        return policy, functional.mse_loss(outputs[:, CARDS], torch.from_numpy(rows["values"])), logits

    def tensors(self) -> dict[str, torch.Tensor]:
        """What `restore` needs."""
        weights = {f"{self.name}/{key}": tensor for key, tensor in self.network.weights().items()}
        return weights | optimizer_tensors(f"optimizer.{self.name}", self._optimizer)

    def restore(self, tensors: Mapping[str, torch.Tensor]) -> None:
        """Goes on from what `tensors` gave."""
        with torch.no_grad():
            for key, tensor in self.network.weights().items():
                tensor.copy_(tensors[f"{self.name}/{key}"])
        restore_optimizer(f"optimizer.{self.name}", self._optimizer, tensors)
        self.network.eval()
