"""RLlib's PPO, by its new API stack and with action masks, on the cardplay of Skat.

    pip install . "ray[rllib]==2.60.0" torch
    python examples/rllib_masks.py --runners 2

RLlib pins gymnasium 1.2.2, so it needs an environment of its own. Its runners play wherever the ray cluster has
processors free.
"""

from dataclasses import dataclass

import gymnasium
import tyro
from pettingzoo.utils import BaseWrapper
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from skat_env import skat_v0


class FloatObservations(BaseWrapper):
    """The keys and the number type that RLlib's masking module reads."""

    def observation_space(self, agent):
        """A row of floats and the mask."""
        space = super().observation_space(agent)
        return gymnasium.spaces.Dict(
            {
                key: gymnasium.spaces.Box(0.0, 1.0, space[name].shape)
                for key, name in (("observations", "observation"), ("action_mask", "action_mask"))
            }
        )

    def observe(self, agent):
        """What a player sees, under the keys that the module reads."""
        observation = super().observe(agent)
        return {
            "observations": observation["observation"].astype("float32"),
            "action_mask": observation["action_mask"].astype("float32"),
        }


@dataclass
class Options:
    """The options of the example."""

    iterations: int = 10
    """Iterations of PPO."""
    batch: int = 8192
    """Steps of an iteration."""
    runners: int = 0
    """Processes that play; 0: the learner plays itself."""
    seed: int = 0
    """Seed of the games, the network and the moves."""


def train(options: Options) -> list[int]:
    """Trains; returns the steps that each iteration has played."""
    register_env("skat", lambda config: PettingZooEnv(FloatObservations(skat_v0.env(scale=0.01, **config))))
    config = (
        PPOConfig()
        .environment("skat", env_config={"start": "cardplay"})
        .env_runners(num_env_runners=options.runners)
        # One network for all seats: the observation says which seat it is seen from.
        .multi_agent(policies={"everybody"}, policy_mapping_fn=lambda agent, *_, **__: "everybody")
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={"everybody": RLModuleSpec(module_class=ActionMaskingTorchRLModule)}
            )
        )
        .debugging(seed=options.seed)
        .training(gamma=1.0, train_batch_size_per_learner=options.batch)
    )
    algorithm = config.build_algo()
    played = []
    for iteration in range(options.iterations):
        figures = algorithm.train()["env_runners"]
        played.append(int(figures["num_env_steps_sampled"]))
        print(f"iteration {iteration}: {played[-1]} steps, {figures['num_episodes']:.0f} deals")
    algorithm.stop()
    return played


if __name__ == "__main__":
    train(tyro.cli(Options, description=__doc__))
