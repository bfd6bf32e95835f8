"""Regularized Nash dynamics that plays all seats itself, as DeepNash (Perolat et al. 2022), without a search.

skat-env bench train examples/learners/rnad.py --task SkatSuit-v0 --seeds 3 --out results/bench

Each decision costs how much likelier it is than under a reference policy. The policy moves to where that game comes to
rest, by replicator dynamics on its logits (NeuRD: Hennes et al. 2020); then it becomes the reference.

Two things are simpler than there: decisions are learnt from once, with the policy that made them, so that nothing is
weighted; and a seat pays for its own decisions alone, because tournament points do not sum to zero.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from skat_env.agents.bench.task import Task
from skat_env.agents.bench.torch_arrays import arrays_of, restore_parts
from skat_env.agents.bench.wave import advantages, play_wave
from skat_env.agents.learners.networks.sparse_linear import SparseLinear


@dataclass(frozen=True)
class Options:
    """Options of regularized Nash dynamics."""

    games: int = 256
    """Games of a wave."""
    hidden: int = 256
    """Width of both hidden layers."""
    learning_rate: float = 5e-4
    gae_lambda: float = 0.95
    """Lambda of the advantages."""
    batch: int = 512
    """Decisions of a gradient step."""
    eta: float = 0.05
    """What a decision costs per natural logarithm of how much likelier it is than under the reference."""
    hold: int = 20
    """Waves until the policy becomes the reference."""
    beta: float = 2.0
    """Logits are not moved further than so far from their mean."""
    clip: float = 10.0
    """The most that an action is held to be better, or worse, than the policy."""


class Network(nn.Module):
    """Logits and a value of the bits that a seat sees."""

    def __init__(self, features: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            SparseLinear(features, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(hidden, actions), nn.Linear(hidden, 1)
        nn.init.zeros_(self.policy.weight)

    def forward(self, observation: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Logits less their mean over legal actions, log-probabilities [n, actions], and values [n], all float32."""
        hidden, legal = self.body(observation.float()), mask.float()
        logits = self.policy(hidden)
        logits = (logits - (logits * legal).sum(1, keepdim=True) / legal.sum(1, keepdim=True)) * legal
        logs = torch.log_softmax(logits.masked_fill(mask == 0, -1e8), 1)
        return logits, logs, self.value(hidden).squeeze(1)


class Learner:
    """Regularized Nash dynamics against itself."""

    def __init__(self, task: Task, options: Options, seed: int) -> None:
        torch.set_num_threads(1)  # more are slower for networks of this size
        torch.manual_seed(seed)
        self.options = options
        self.games = task.self_play(options.games)
        features = self.games.single_observation_space["observation"].shape[0]
        self.network = Network(features, int(self.games.single_action_space.n), options.hidden)
        self.reference = copy.deepcopy(self.network).requires_grad_(False)
        self.waves = np.zeros(1, np.int64)
        self.adam = torch.optim.Adam(
            self.network.parameters(), lr=options.learning_rate, fused=True, betas=(0.0, 0.999)
        )

    def learn(self, steps: int, seed: int) -> int:
        """Plays waves and learns from each."""
        torch.manual_seed(seed)
        seeds = np.random.default_rng(seed)
        done = 0
        while done < steps:
            wave = play_wave(self.games, self.play, int(seeds.integers(2**63)))
            value, cost = wave.further
            played = cost[np.arange(len(cost)), wave.action]
            gain = advantages(wave, value, self.options.gae_lambda, -played)
            columns = (wave.observation, wave.mask, wave.action, cost, gain, gain + value)
            self.update(*map(torch.from_numpy, columns))
            self.waves += 1
            if self.waves[0] % self.options.hold == 0:
                self.reference.load_state_dict(self.network.state_dict())
            done += len(gain)
        return done

    @torch.no_grad()
    def play(
        self, observation: NDArray[np.int8], mask: NDArray[np.int8], lanes: NDArray[np.int64]
    ) -> tuple[NDArray[Any], ...]:
        """Draws actions; the values of the seats and what every action costs are kept."""
        seen, legal = torch.from_numpy(observation), torch.from_numpy(mask)
        _, logs, value = self.network(seen, legal)
        cost = self.options.eta * (logs - self.reference(seen, legal)[1]) * legal
        return torch.multinomial(logs.exp(), 1)[:, 0].numpy(), value.numpy(), cost.numpy()

    def update(self, *columns: Tensor) -> None:
        """One pass over the decisions of a wave."""
        options = self.options
        for chosen in torch.randperm(len(columns[0])).split(options.batch):
            observation, mask, action, cost, gain, result = (column[chosen] for column in columns)
            logits, logs, value = self.network(observation, mask)
            chance = logs.detach().exp()
            # An action that was not played is worth the value less its cost; the one that was also what it brought.
            worth = -cost
            brought = gain + cost.gather(1, action[:, None])[:, 0]
            worth = worth.scatter_add(
                1, action[:, None], (brought / chance.gather(1, action[:, None])[:, 0])[:, None]
            )
            better = (worth - (chance * worth).sum(1, keepdim=True)).clamp(-options.clip, options.clip)
            moves = torch.where(better > 0, logits < options.beta, logits > -options.beta) & (mask != 0)
            loss = -(logits * better * moves).sum(1).mean() + 0.5 * (value - result).square().mean()
            self.adam.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
            self.adam.step()

    @torch.no_grad()
    def chances(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.float32]:
        """The probabilities of actions."""
        _, logs, _ = self.network(torch.from_numpy(observation), torch.from_numpy(mask))
        return logs.exp().numpy()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Weights, moments, and the number of waves."""
        parts = arrays_of(network=self.network, reference=self.reference, adam=self.adam)
        return parts | {"waves": self.waves}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from what was kept."""
        restore_parts(arrays, network=self.network, reference=self.reference, adam=self.adam)
        self.waves = arrays["waves"].copy()
