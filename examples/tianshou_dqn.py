"""Tianshou's DQN at the last seat of Skat against two random players.

python examples/tianshou_dqn.py --epochs 10

It needs the extras `learn` and `tianshou`.
"""

from dataclasses import dataclass

import numpy as np
import torch
import tyro
from tianshou.algorithm import DQN, MARLRandomDiscreteMaskedOffPolicyAlgorithm, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, CollectStats, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.env.pettingzoo_env import PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from skat_env import skat_v0


@dataclass
class Options:
    """How long to train."""

    epochs: int = 10
    steps: int = 10_000
    """Environment steps per epoch."""
    lanes: int = 16
    """Environments that are stepped together."""
    seed: int = 0
    """Seed of the games, the network and the moves."""


def make() -> PettingZooEnv:
    """The environment, with rewards of about 1."""
    return PettingZooEnv(skat_v0.env(scale=0.01))


def train(options: Options) -> float:
    """The best mean reward of the learner in test games."""
    torch.manual_seed(options.seed)
    np.random.seed(options.seed)  # noqa: NPY002 - the library draws with it
    env = make()
    network = Net(
        state_shape=env.observation_space["observation"].shape,
        action_shape=env.action_space.n,
        hidden_sizes=[128, 128],
    )
    learner = DQN(
        policy=DiscreteQLearningPolicy(
            model=network, action_space=env.action_space, eps_training=0.1, eps_inference=0.0
        ),
        optim=AdamOptimizerFactory(lr=1e-4),
        gamma=1.0,
        n_step_return_horizon=1,
        target_update_freq=500,
    )
    others = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space) for _ in range(2)]
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[*others, learner], env=env)

    training, testing = (DummyVectorEnv([make for _ in range(options.lanes)]) for _ in range(2))
    training.seed(options.seed)
    testing.seed(options.seed + options.lanes)  # each environment has the next number
    collector = Collector[CollectStats](
        algorithm, training, VectorReplayBuffer(100_000, options.lanes), exploration_noise=True
    )
    collector.reset()
    collector.collect(n_step=1024)
    trained = algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            test_collector=Collector[CollectStats](algorithm, testing),
            max_epochs=options.epochs,
            epoch_num_steps=options.steps,
            collection_step_num_env_steps=10 * options.lanes,
            test_step_num_episodes=100,
            batch_size=256,
            update_step_num_gradient_steps_per_sample=0.1,
            multi_agent_return_reduction=lambda returns: returns[:, 2],
        )
    )
    return float(trained.best_reward)


if __name__ == "__main__":
    print(train(tyro.cli(Options)))
