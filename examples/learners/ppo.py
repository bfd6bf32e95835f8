"""PPO with action masks that plays all seats itself.

Schulman et al. 2017, with generalized advantages (Schulman et al. 2016).

skat-env bench train examples/learners/ppo.py --task SkatSuit-v0 --seeds 3 --out results/bench

A wave of games is played to its end by one network for all seats; each decision is learnt from with the result of its
own seat. The value network values what the seat sees. With `magnet` it is magnetic mirror descent (Sokota et al. 2023):
the policy is also held near a slow copy of itself, which self-play needs to come to rest near an equilibrium.

skat-env bench train examples/learners/ppo.py --set magnet=0.05 --name mmd --task SkatSuit-v0 --out results/bench
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.distributions import Categorical, kl_divergence

from skat_env.agents.bench.task import Task
from skat_env.agents.bench.torch_arrays import arrays_of, restore_parts
from skat_env.agents.bench.wave import Wave, play_wave


@dataclass(frozen=True)
class Options:
    """Options of PPO."""

    games: int = 256
    """Games of a wave."""
    hidden: int = 256
    """Width of both hidden layers."""
    learning_rate: float = 5e-4
    gae_lambda: float = 0.95
    """Lambda of the advantages."""
    epochs: int = 4
    """Passes over a wave."""
    batch: int = 512
    """Decisions of a gradient step."""
    clip: float = 0.2
    """How far the ratio of probabilities counts beyond 1, and below."""
    entropy: float = 0.01
    """Weight of the entropy."""
    magnet: float = 0.0
    """Weight of the divergence from the slow copy; 0: there is none."""
    magnet_rate: float = 0.05
    """How much of the policy the slow copy takes over after a wave."""


class Network(nn.Module):
    """A policy and a value of the bits that a seat sees."""

    def __init__(self, features: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(hidden, actions), nn.Linear(hidden, 1)
        nn.init.zeros_(self.policy.weight)

    def forward(self, observation: Tensor, mask: Tensor) -> tuple[Categorical, Tensor]:
        """The distribution over legal actions, and values float32 [n]."""
        hidden = self.body(observation.float())
        # A finite number: the entropy multiplies it by a probability of 0.
        logits = self.policy(hidden).masked_fill(mask == 0, -1e8)
        return Categorical(logits=logits, validate_args=False), self.value(hidden).squeeze(1)


class Learner:
    """PPO against itself."""

    def __init__(self, task: Task, options: Options, seed: int) -> None:
        torch.set_num_threads(1)  # more are slower for networks of this size
        torch.manual_seed(seed)
        self.options = options
        self.games = task.self_play(options.games)
        features = self.games.single_observation_space["observation"].shape[0]
        self.network = Network(features, int(self.games.single_action_space.n), options.hidden)
        self.magnet = copy.deepcopy(self.network).requires_grad_(False)
        self.adam = torch.optim.Adam(self.network.parameters(), lr=options.learning_rate, eps=1e-5)

    def learn(self, steps: int, seed: int) -> int:
        """Plays waves and learns from each."""
        torch.manual_seed(seed)
        seeds = np.random.default_rng(seed)
        done = 0
        while done < steps:
            wave = play_wave(self.games, self.play, int(seeds.integers(2**63)))
            gain = self.advantages(wave)
            chance, value = wave.further
            columns = (wave.observation, wave.mask, wave.action, chance, gain, gain + value)
            self.update(*map(torch.from_numpy, columns))
            done += len(gain)
        return done

    @torch.no_grad()
    def play(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> tuple[NDArray[Any], ...]:
        """Draws actions; their log-probabilities and the values of the seats are kept."""
        policy, value = self.network(torch.from_numpy(observation), torch.from_numpy(mask))
        action = policy.sample()
        return action.numpy(), policy.log_prob(action).numpy(), value.numpy()

    def advantages(self, wave: Wave) -> NDArray[np.float32]:
        """What each decision brought its seat more than was expected, float32 [decisions]; no discount."""
        _, value = wave.further
        games, seats = self.games.num_envs, self.games.num_players
        # Of each seat: what comes after its decision, backwards from the end of the game.
        following, carried = np.zeros((games, seats), np.float32), np.zeros((games, seats), np.float32)
        following[wave.lane, wave.seat] = wave.result
        gain = np.empty_like(value)
        for step in range(int(wave.step.max()), -1, -1):
            rows = wave.step == step
            place = wave.lane[rows], wave.seat[rows]
            error = following[place] - value[rows]
            gain[rows] = carried[place] = error + self.options.gae_lambda * carried[place]
            following[place] = value[rows]
        return gain

    def update(self, *columns: Tensor) -> None:
        """Some passes over the decisions of a wave."""
        options = self.options
        for _ in range(options.epochs):
            for chosen in torch.randperm(len(columns[0])).split(options.batch):
                observation, mask, action, chance, gain, result = (column[chosen] for column in columns)
                policy, value = self.network(observation, mask)
                ratio = (policy.log_prob(action) - chance).exp()
                gain = (gain - gain.mean()) / (gain.std(correction=0) + 1e-8)
                clipped = ratio.clamp(1 - options.clip, 1 + options.clip)
                loss = -torch.minimum(ratio * gain, clipped * gain).mean()
                loss = (
                    loss + 0.5 * (value - result).square().mean() - options.entropy * policy.entropy().mean()
                )
                if options.magnet:
                    slow, _ = self.magnet(observation, mask)
                    loss = loss + options.magnet * kl_divergence(policy, slow).mean()
                self.adam.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
                self.adam.step()
        for slow, weights in zip(self.magnet.parameters(), self.network.parameters(), strict=True):
            slow.lerp_(weights.detach(), options.magnet_rate)

    @torch.no_grad()
    def act(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """The most probable actions."""
        policy, _ = self.network(torch.from_numpy(observation), torch.from_numpy(mask))
        return policy.probs.argmax(1).numpy()

    @torch.no_grad()
    def chances(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.float32]:
        """The probabilities of actions."""
        policy, _ = self.network(torch.from_numpy(observation), torch.from_numpy(mask))
        return policy.probs.numpy()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Weights and moments."""
        return arrays_of(network=self.network, magnet=self.magnet, adam=self.adam)

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from weights and moments."""
        restore_parts(arrays, network=self.network, magnet=self.magnet, adam=self.adam)
