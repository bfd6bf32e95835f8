"""Deep Monte Carlo that plays all seats itself, as DouZero (Zha et al. 2021): no policy, no bootstrapping.

skat-env bench train examples/learners/dmc.py --task SkatSuit-v0 --seeds 3 --out results/bench

A network values every action by the result of the seat that plays it. The best is played, now and then a random one,
and what was played is moved towards the result of its game.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from skat_env.agents.bench.task import Task
from skat_env.agents.bench.torch_arrays import arrays_of, restore_parts
from skat_env.agents.bench.wave import play_wave
from skat_env.agents.learners.networks.sparse_linear import SparseLinear


@dataclass(frozen=True)
class Options:
    """Options of deep Monte Carlo."""

    games: int = 512
    """Games of a wave."""
    hidden: int = 256
    """Width of both hidden layers."""
    learning_rate: float = 1e-3
    explore: float = 0.05
    """The share of actions drawn at random."""
    batch: int = 512
    """Decisions of a gradient step."""


class Learner:
    """Deep Monte Carlo against itself."""

    def __init__(self, task: Task, options: Options, seed: int) -> None:
        torch.set_num_threads(1)  # more are slower for networks of this size
        torch.manual_seed(seed)
        self.options = options
        self.games = task.self_play(options.games)
        features = self.games.single_observation_space["observation"].shape[0]
        width = options.hidden
        layers = (SparseLinear(features, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.network = nn.Sequential(*layers, nn.Linear(width, int(self.games.single_action_space.n)))
        self.adam = torch.optim.Adam(self.network.parameters(), lr=options.learning_rate, fused=True)

    def learn(self, steps: int, seed: int) -> int:
        """Plays waves and learns from each."""
        torch.manual_seed(seed)
        seeds = np.random.default_rng(seed)
        done = 0
        while done < steps:
            wave = play_wave(self.games, self.play, int(seeds.integers(2**63)))
            observation, action, result = map(torch.from_numpy, (wave.observation, wave.action, wave.result))
            for chosen in torch.randperm(len(action)).split(self.options.batch):
                worth = self.network(observation[chosen].float()).gather(1, action[chosen, None])[:, 0]
                self.adam.zero_grad()
                nn.functional.mse_loss(worth, result[chosen]).backward()
                self.adam.step()
            done += len(action)
        return done

    def play(
        self, observation: NDArray[np.int8], mask: NDArray[np.int8], lanes: NDArray[np.int64]
    ) -> tuple[NDArray[Any], ...]:
        """The best actions, now and then a random one."""
        drawn = torch.multinomial(torch.from_numpy(mask).float(), 1)[:, 0]
        explores = torch.rand(len(drawn)) < self.options.explore
        return (np.where(explores, drawn, self.act(observation, mask)),)

    @torch.no_grad()
    def act(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """The legal actions of the largest worth."""
        worth = self.network(torch.from_numpy(observation).float())
        return worth.masked_fill(torch.from_numpy(mask) == 0, -torch.inf).argmax(1).numpy()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Weights and moments."""
        return arrays_of(network=self.network, adam=self.adam)

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from weights and moments."""
        restore_parts(arrays, network=self.network, adam=self.adam)
