"""MaskablePPO of sb3-contrib against an agent at the other seats.

skat-env bench train examples/learners/maskable_ppo.py --task SkatSuit-v0 --seeds 3 --out results/bench

The library's PPO as it is, on the task's games with one seat for the learner. `opponents=random` plays them in C;
`opponents=rule` is who the task is measured against, and takes most of the time.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import set_random_seed

from skat_env.agents.bench.task import Task
from skat_env.agents.bench.torch_arrays import arrays_of, restore_parts
from skat_env.agents.sb3.model import read_sparsely
from skat_env.envs.sb3 import Sb3VecEnv


@dataclass(frozen=True)
class Options:
    """Options of MaskablePPO."""

    opponents: str = "rule"
    """Who has the other seats."""
    games: int = 128
    """Games in step."""
    horizon: int = 64
    """Steps of each game between two updates."""
    hidden: int = 128
    """Width of both hidden layers, of the policy and of the value."""
    learning_rate: float = 5e-4
    gae_lambda: float = 0.95
    epochs: int = 4
    batch: int = 1024
    entropy: float = 0.01


class Learner:
    """MaskablePPO against others."""

    def __init__(self, task: Task, options: Options, seed: int) -> None:
        torch.set_num_threads(1)  # more are slower for networks of this size
        self.env = Sb3VecEnv(
            task.game,
            options.games,
            seat=task.seat,
            opponents=options.opponents,
            scale=task.scale,
            start=task.start_source(),
            rules=task.rule_options,
            seed=seed,
        )
        self.model = MaskablePPO(
            "MlpPolicy",
            self.env,
            learning_rate=options.learning_rate,
            n_steps=options.horizon,
            batch_size=options.batch,
            n_epochs=options.epochs,
            gamma=1.0,
            gae_lambda=options.gae_lambda,
            ent_coef=options.entropy,
            policy_kwargs={"net_arch": [options.hidden] * 2},
            seed=seed,
            device="cpu",
        )
        read_sparsely(self.model.policy)

    def learn(self, steps: int, seed: int) -> int:
        """Learns from whole rollouts."""
        set_random_seed(seed)
        self.env.seed(seed)
        self.model.set_env(self.env, force_reset=True)
        self.model.num_timesteps = 0
        self.model.learn(steps, reset_num_timesteps=True)
        return int(self.model.num_timesteps)

    def act(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.int64]:
        """The most probable actions."""
        actions, _ = self.model.predict(observation, action_masks=mask.astype(np.bool_), deterministic=True)
        return np.asarray(actions, np.int64)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Weights and moments."""
        return arrays_of(policy=self.model.policy, adam=self.model.policy.optimizer)

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from weights and moments."""
        restore_parts(arrays, policy=self.model.policy, adam=self.model.policy.optimizer)
