"""PPO of TorchRL that plays all seats itself: the library's masked policy and its clipped loss.

skat-env bench train examples/learners/torchrl_ppo.py --task SkatSuit-v0 --seeds 3 --out results/bench

Games with several seats are no single trajectory, so the waves and the advantages of each seat are the benchmark's.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

from skat_env.agents.bench.task import Task
from skat_env.agents.bench.torch_arrays import arrays_of, restore_parts
from skat_env.agents.bench.wave import advantages, play_wave
from skat_env.agents.learners.networks.sparse_linear import SparseLinear


@dataclass(frozen=True)
class Options:
    """Options of TorchRL's PPO."""

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


def network(features: int, outputs: int, hidden: int) -> MLP:
    """Two hidden layers; most bits are 0."""
    layers = MLP(features, outputs, num_cells=[hidden, hidden], activation_class=torch.nn.ReLU)
    layers[0] = SparseLinear.of(layers[0])
    return layers


class Learner:
    """TorchRL's PPO against itself."""

    def __init__(self, task: Task, options: Options, seed: int) -> None:
        torch.set_num_threads(1)  # more are slower for networks of this size
        torch.manual_seed(seed)
        self.options = options
        self.games = task.self_play(options.games)
        features = self.games.single_observation_space["observation"].shape[0]
        actions = int(self.games.single_action_space.n)
        self.policy = network(features, actions, options.hidden)
        self.critic = ValueOperator(network(features, 1, options.hidden), in_keys=["observation"])
        self.actor = ProbabilisticActor(
            TensorDictModule(self.policy, in_keys=["observation"], out_keys=["logits"]),
            in_keys=["logits", "mask"],
            distribution_class=MaskedCategorical,
        )
        self.loss = ClipPPOLoss(
            self.actor,
            self.critic,
            clip_epsilon=options.clip,
            entropy_coeff=options.entropy,
            critic_coeff=0.5,
            loss_critic_type="l2",
            normalize_advantage=True,
        )
        self.loss.set_keys(sample_log_prob="chance", advantage="gain", value_target="result")
        self.adam = torch.optim.Adam(self.loss.parameters(), lr=options.learning_rate, eps=1e-5, fused=True)

    def learn(self, steps: int, seed: int) -> int:
        """Plays waves and learns from each."""
        torch.manual_seed(seed)
        seeds = np.random.default_rng(seed)
        done = 0
        while done < steps:
            wave = play_wave(self.games, self.play, int(seeds.integers(2**63)))
            chance, value = wave.further
            gain = advantages(wave, value, self.options.gae_lambda)
            columns = {
                "observation": wave.observation,
                "mask": wave.mask,
                "action": wave.action,
                "chance": chance,
                "gain": gain[:, None],
                "result": (gain + value)[:, None],
            }
            self.update(
                TensorDict({name: torch.from_numpy(each) for name, each in columns.items()}, [len(gain)])
            )
            done += len(gain)
        return done

    @torch.no_grad()
    def play(
        self, observation: NDArray[np.int8], mask: NDArray[np.int8], lanes: NDArray[np.int64]
    ) -> tuple[NDArray[Any], ...]:
        """Draws actions; their log-probabilities and the values of the seats are kept."""
        seen = seen_by(observation, mask)
        drawn = self.actor.get_dist(seen)
        action = drawn.sample()
        return action.numpy(), drawn.log_prob(action).numpy(), self.critic(seen)["state_value"][:, 0].numpy()

    def update(self, wave: TensorDict) -> None:
        """Some passes over the decisions of a wave."""
        for _ in range(self.options.epochs):
            for chosen in torch.randperm(len(wave)).split(self.options.batch):
                rows = wave[chosen]
                rows["observation"], rows["mask"] = rows["observation"].float(), rows["mask"] != 0
                losses = self.loss(rows)
                self.adam.zero_grad()
                (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
                torch.nn.utils.clip_grad_norm_(self.loss.parameters(), 0.5)
                self.adam.step()

    @torch.no_grad()
    def chances(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.float32]:
        """The probabilities of actions."""
        return self.actor.get_dist(seen_by(observation, mask)).probs.numpy()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Weights and moments."""
        return arrays_of(policy=self.policy, critic=self.critic, adam=self.adam)

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from weights and moments."""
        restore_parts(arrays, policy=self.policy, critic=self.critic, adam=self.adam)


def seen_by(observation: NDArray[np.int8], mask: NDArray[np.int8]) -> TensorDict:
    """Observations and masks as the library's networks take them."""
    columns = {"observation": torch.from_numpy(observation).float(), "mask": torch.from_numpy(mask) != 0}
    return TensorDict(columns, [len(observation)])
