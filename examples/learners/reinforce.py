"""REINFORCE that plays all seats itself (Williams 1992): the shortest learner, to begin one's own with.

skat-env bench train examples/learners/reinforce.py --task SkatSuit-v0 --seeds 3 --out results/bench
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from skat_env.agents.bench.task import Task
from skat_env.agents.bench.torch_arrays import arrays_of, restore_parts
from skat_env.agents.bench.wave import play_wave
from skat_env.agents.learners.networks.sparse_linear import SparseLinear


@dataclass(frozen=True)
class Options:
    """Options of REINFORCE."""

    games: int = 512
    """Games between two updates."""
    hidden: int = 256
    """Width of the hidden layer."""
    learning_rate: float = 1e-3
    entropy: float = 0.01
    """Weight of the entropy."""


class Learner:
    """REINFORCE against itself: actions become likelier by how much more than the mean their seat got."""

    def __init__(self, task: Task, options: Options, seed: int) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.options, self.games = options, task.self_play(options.games)
        features = self.games.single_observation_space["observation"].shape[0]
        layers = SparseLinear(features, options.hidden), nn.ReLU()
        self.network = nn.Sequential(
            *layers, nn.Linear(options.hidden, int(self.games.single_action_space.n))
        )
        self.adam = torch.optim.Adam(self.network.parameters(), lr=options.learning_rate, fused=True)

    def learn(self, steps: int, seed: int) -> int:
        """Plays waves and learns once from each."""
        torch.manual_seed(seed)
        seeds, done = np.random.default_rng(seed), 0
        while done < steps:
            wave = play_wave(self.games, self.play, int(seeds.integers(2**63)))
            logs = self.logs(wave.observation, wave.mask)
            played = logs.gather(1, torch.from_numpy(wave.action)[:, None])[:, 0]
            gain = torch.from_numpy((wave.result - wave.result.mean()) / (wave.result.std() + 1e-8))
            loss = -(gain * played).mean() + self.options.entropy * (logs.exp() * logs).sum(1).mean()
            self.adam.zero_grad()
            loss.backward()
            self.adam.step()
            done += len(gain)
        return done

    def logs(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> Tensor:
        """The log-probabilities of actions, float32 [n, actions]."""
        logits = self.network(torch.from_numpy(observation).float())
        return torch.log_softmax(logits.masked_fill(torch.from_numpy(mask) == 0, -1e8), 1)

    @torch.no_grad()
    def play(
        self, observation: NDArray[np.int8], mask: NDArray[np.int8], lanes: NDArray[np.int64]
    ) -> tuple[NDArray[Any], ...]:
        """Draws actions."""
        return (torch.multinomial(self.logs(observation, mask).exp(), 1)[:, 0].numpy(),)

    @torch.no_grad()
    def chances(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.float32]:
        """The probabilities of actions."""
        return self.logs(observation, mask).exp().numpy()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Weights and moments."""
        return arrays_of(network=self.network, adam=self.adam)

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from weights and moments."""
        restore_parts(arrays, network=self.network, adam=self.adam)
