"""PPO of Tianshou that plays all seats itself: the library's replay buffer, advantages and clipped loss.

skat-env bench train examples/learners/tianshou_ppo.py --task SkatSuit-v0 --seeds 3 --out results/bench

Games with several seats are no single trajectory, so each seat's decisions of a game are an episode of the buffer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import ReplayBuffer
from tianshou.utils.torch_utils import policy_within_training_step
from torch import Tensor, nn
from torch.distributions import Categorical

from skat_env.agents.bench.task import Task
from skat_env.agents.bench.torch_arrays import arrays_of, restore_parts
from skat_env.agents.bench.wave import play_wave
from skat_env.agents.learners.networks.sparse_linear import SparseLinear


@dataclass(frozen=True)
class Options:
    """Options of Tianshou's PPO."""

    games: int = 256
    """Games of a wave."""
    hidden: int = 256
    """Width of both hidden layers, of the policy and of the value."""
    learning_rate: float = 5e-4
    gae_lambda: float = 0.95
    """Lambda of the advantages."""
    epochs: int = 2
    """Passes over a wave."""
    batch: int = 1024
    """Decisions of a gradient step."""
    clip: float = 0.2
    entropy: float = 0.01
    """Weight of the entropy."""


class Network(nn.Module):
    """Two hidden layers; most bits are 0. What the library sees of a decision is its observation beside its mask."""

    def __init__(self, features: int, outputs: int, hidden: int) -> None:
        super().__init__()
        self.features = features
        self.layers = nn.Sequential(
            SparseLinear(features, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, outputs),
        )

    def forward(self, seen: NDArray[np.int8]) -> Tensor:
        """Outputs [n, outputs] for rows of observations and masks."""
        return self.layers(torch.from_numpy(seen[:, : self.features]).float())


class Actor(Network):
    """The logits of a policy, as the library asks for them."""

    def forward(self, seen: NDArray[np.int8], state: Any = None, info: Any = None) -> tuple[Tensor, Any]:
        """Logits [n, actions], those of illegal actions far below the others; and no state."""
        return super().forward(seen).masked_fill(torch.from_numpy(seen[:, self.features :]) == 0, -1e8), state


class Adam(AdamOptimizerFactory):
    """The library's Adam, whose moments are kept."""

    def _create_optimizer_for_params(self, params: Any) -> torch.optim.Optimizer:
        self.made = super()._create_optimizer_for_params(params)
        return self.made


class Learner:
    """Tianshou's PPO against itself."""

    def __init__(self, task: Task, options: Options, seed: int) -> None:
        torch.set_num_threads(1)  # more are slower for networks of this size
        torch.manual_seed(seed)
        self.options = options
        self.games = task.self_play(options.games)
        features = self.games.single_observation_space["observation"].shape[0]
        actions = self.games.single_action_space
        self.actor = Actor(features, int(actions.n), options.hidden)
        self.critic = Network(features, 1, options.hidden)
        self.adam = Adam(lr=options.learning_rate, eps=1e-5)
        self.algorithm = PPO(
            policy=ProbabilisticActorPolicy(
                actor=self.actor, dist_fn=categorical, action_space=actions, action_scaling=False
            ),
            critic=self.critic,
            optim=self.adam,
            eps_clip=options.clip,
            ent_coef=options.entropy,
            max_grad_norm=0.5,
            gae_lambda=options.gae_lambda,
            gamma=1.0,
            max_batchsize=options.batch,
        )

    def learn(self, steps: int, seed: int) -> int:
        """Plays waves and learns from each."""
        torch.manual_seed(seed)
        np.random.seed(seed)  # noqa: NPY002 - the library shuffles with it
        seeds = np.random.default_rng(seed)
        done = 0
        while done < steps:
            wave = play_wave(self.games, self.play, int(seeds.integers(2**63)))
            turns = wave.turns()
            rows = turns[turns >= 0]
            seen = np.concatenate((wave.observation, wave.mask), 1)[rows]
            last = np.zeros(len(rows), np.bool_)
            last[(turns >= 0).sum(1).cumsum() - 1] = True
            buffer = ReplayBuffer.from_data(
                obs=seen,
                act=wave.action[rows],
                rew=np.where(last, wave.result[rows], 0),
                terminated=last,
                truncated=np.zeros_like(last),
                done=last,
                obs_next=np.roll(seen, -1, 0),
            )
            with policy_within_training_step(self.algorithm.policy):
                self.algorithm.update(buffer, self.options.batch, self.options.epochs)
            done += len(rows)
        return done

    @torch.no_grad()
    def play(
        self, observation: NDArray[np.int8], mask: NDArray[np.int8], lanes: NDArray[np.int64]
    ) -> tuple[NDArray[Any]]:
        """Draws actions."""
        logits, _ = self.actor(np.concatenate((observation, mask), 1))
        return (categorical(logits).sample().numpy(),)

    @torch.no_grad()
    def chances(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.float32]:
        """The probabilities of actions."""
        logits, _ = self.actor(np.concatenate((observation, mask), 1))
        return logits.softmax(1).numpy()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Weights and moments."""
        return arrays_of(actor=self.actor, critic=self.critic, adam=self.adam.made)

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from weights and moments."""
        restore_parts(arrays, actor=self.actor, critic=self.critic, adam=self.adam.made)


def categorical(logits: Tensor) -> Categorical:
    """The distribution of actions."""
    return Categorical(logits=logits)
