"""The loop of PettingZoo's stable-baselines3 tutorial with action masks, on games of three and of four players.

python examples/pettingzoo_sb3.py --game skat --steps 20480

One network learns every seat by playing against itself. The wrapper is the tutorial's, which was made for two players
in turn: it passes on the reward of the player who has just moved. What the others win or lose by that move, most of
the points of a deal, never reaches the learner. `skat-env train sb3` learns from all rewards; this example shows that
the tutorial's loop runs unchanged.
"""

from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any, Literal

import gymnasium
import numpy as np
import torch
import tyro
from pettingzoo.utils import BaseWrapper
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from sb3_contrib.common.wrappers import ActionMasker


@dataclass
class Options:
    """Learn a game by PettingZoo's stable-baselines3 loop and play it against random players."""

    game: Literal["skat", "klaverjas"] = "skat"
    steps: int = 20_480
    """Moves of all players together."""
    games: int = 100
    """Games of the evaluation; the learner is the last player."""
    seed: int = 0
    """Seed of the games and of the model."""


class SB3ActionMaskWrapper(BaseWrapper, gymnasium.Env):
    """An AEC environment as the Gymnasium environment of whoever is to move."""

    def reset(self, seed: int | None = None, options: dict | None = None) -> tuple[np.ndarray, dict]:
        """Begins a game; the spaces become plain attributes, which stable-baselines3 reads."""
        super().reset(seed, options)
        first = self.possible_agents[0]
        self.observation_space = super().observation_space(first)["observation"]
        self.action_space = super().action_space(first)
        return self.observe(self.agent_selection), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        """Plays a move; the observation is the next player's, everything else the mover's."""
        mover = self.agent_selection
        super().step(action)
        return (
            self.observe(self.agent_selection),
            self._cumulative_rewards[mover],
            self.terminations[mover],
            self.truncations[mover],
            self.infos[mover],
        )

    def observe(self, agent: str) -> np.ndarray:
        """The observation without its mask."""
        return super().observe(agent)["observation"]

    def action_mask(self) -> np.ndarray:
        """The mask of the player to move."""
        return super().observe(self.agent_selection)["action_mask"]


def learn(module: ModuleType, steps: int, seed: int, **options: Any) -> MaskablePPO:
    """A model that has played some moves of a game against itself; options are MaskablePPO's."""
    env = SB3ActionMaskWrapper(module.env(scale=0.01))
    env.reset(seed=seed)
    masked = ActionMasker(env, SB3ActionMaskWrapper.action_mask)
    model = MaskablePPO(MaskableActorCriticPolicy, masked, seed=seed, **options)
    model.learn(total_timesteps=steps)
    env.close()
    return model


def evaluate(module: ModuleType, model: MaskablePPO, games: int) -> dict[str, float]:
    """The mean reward of each player; the last is the model, the others move at random."""
    env = module.env()
    learner = env.possible_agents[-1]
    totals = dict.fromkeys(env.possible_agents, 0.0)
    for game in range(games):
        env.reset(seed=game)
        env.action_space(learner).seed(game)
        for agent in env.agent_iter():
            observations, _, termination, truncation, _ = env.last()
            observation, action_mask = observations.values()
            if termination or truncation:
                for player, reward in env.rewards.items():
                    totals[player] += reward / games
                break
            if agent == learner:
                action, _ = model.predict(observation, action_masks=action_mask, deterministic=True)
                env.step(int(action))
            else:
                env.step(env.action_space(agent).sample(action_mask))
    env.close()
    return totals


def main() -> None:
    """Learns and prints the mean rewards."""
    options = tyro.cli(Options, description=__doc__)
    torch.set_num_threads(1)  # more are slower for networks of this size
    module = import_module(f"skat_env.{options.game}_v0")
    model = learn(module, options.steps, options.seed)
    for player, reward in evaluate(module, model, options.games).items():
        print(f"{player} {reward:+.2f}")


if __name__ == "__main__":
    main()
