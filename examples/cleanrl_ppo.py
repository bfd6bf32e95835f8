"""PPO with action masks in one file, in the style of CleanRL, on the vector environment.

python examples/cleanrl_ppo.py --game klaverjas --total-steps 1000000

The learner has one seat, drawn for every game, against players who move at random; one call steps all games. Only
torch and skat_env are needed.
"""

import time
from dataclasses import dataclass
from typing import Literal

import torch
import tyro
from gymnasium.vector import AutoresetMode
from torch import Tensor, nn
from torch.distributions import Categorical

from skat_env.envs.seat_vector import SeatVectorEnv


@dataclass
class Options:
    """PPO with action masks on one seat of many games."""

    game: Literal["skat", "klaverjas"] = "skat"
    total_steps: int = 1_000_000
    """Decisions of the learner, over all games."""
    games: int = 128
    """Games stepped at once."""
    horizon: int = 64
    """Steps of each game between two updates."""
    hidden: int = 128
    """Width of the hidden layers."""
    learning_rate: float = 5e-4
    """Learning rate at the start; it falls linearly to 0."""
    gamma: float = 1.0
    """Discount; a deal pays once, at its end."""
    gae_lambda: float = 0.95
    """Lambda of generalized advantage estimation."""
    epochs: int = 4
    """Passes over each rollout."""
    minibatches: int = 8
    """Gradient steps per pass."""
    clip: float = 0.2
    """Clipping range of the policy's ratio."""
    entropy: float = 0.01
    """Weight of the entropy in the loss."""
    value: float = 0.5
    """Weight of the value error in the loss."""
    max_gradient: float = 0.5
    """Maximal norm of a gradient."""
    scale: float = 0.01
    """Factor of the rewards; a deal is worth some 100 points."""
    seed: int = 0
    """Seed of the games, the networks and the updates."""


class ActorCritic(nn.Module):
    """Policy and value networks over the bits of an observation."""

    def __init__(self, features: int, actions: int, hidden: int) -> None:
        super().__init__()
        self.actor = self._network(features, hidden, actions, 0.01)
        self.critic = self._network(features, hidden, 1, 1.0)

    def forward(self, observation: Tensor, mask: Tensor) -> tuple[Categorical, Tensor]:
        """The distribution over legal actions and the values [n]; observation int8 [n, features], mask [n, actions]."""
        bits = observation.float()
        # A finite number, because the entropy multiplies it by a probability of 0.
        logits = self.actor(bits).masked_fill(mask == 0, -1e8)
        return Categorical(logits=logits), self.critic(bits).squeeze(1)

    @staticmethod
    def _network(features: int, hidden: int, outputs: int, gain: float) -> nn.Sequential:
        layers = [nn.Linear(features, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, outputs)]
        for layer, weight in zip(layers, (2**0.5, 2**0.5, gain), strict=True):
            nn.init.orthogonal_(layer.weight, weight)
            nn.init.zeros_(layer.bias)
        return nn.Sequential(layers[0], nn.ReLU(), layers[1], nn.ReLU(), layers[2])


def advantages(
    rewards: Tensor, values: Tensor, ends: Tensor, last: Tensor, gamma: float, gae_lambda: float
) -> Tensor:
    """Generalized advantages [steps, games] (Schulman et al. 2016, equation 16); `ends` is 1 where a game ended."""
    result = torch.zeros_like(rewards)
    following, sum_so_far = last, torch.zeros_like(last)
    for t in reversed(range(len(rewards))):
        goes_on = 1.0 - ends[t]
        error = rewards[t] + gamma * following * goes_on - values[t]
        sum_so_far = error + gamma * gae_lambda * goes_on * sum_so_far
        result[t], following = sum_so_far, values[t]
    return result


def train(options: Options) -> list[float]:
    """Trains and prints progress; returns the mean reward of a game in each rollout, in game units."""
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)  # more are slower for networks of this size
    env = SeatVectorEnv(
        options.game, options.games, scale=options.scale, autoreset_mode=AutoresetMode.SAME_STEP
    )
    features = env.single_observation_space["observation"].shape[0]
    actions = int(env.single_action_space.n)
    network = ActorCritic(features, actions, options.hidden)
    optimizer = torch.optim.Adam(network.parameters(), lr=options.learning_rate, eps=1e-5)

    shape = (options.horizon, options.games)
    rollout = options.horizon * options.games
    observations = torch.zeros((*shape, features), dtype=torch.int8)
    masks = torch.zeros((*shape, actions), dtype=torch.int8)
    chosen = torch.zeros(shape, dtype=torch.int64)
    chances, values, rewards, ends = (torch.zeros(shape) for _ in range(4))

    seen, _ = env.reset(seed=options.seed)
    started, curve = time.perf_counter(), []
    updates = max(1, options.total_steps // rollout)
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = options.learning_rate * (1 - update / updates)

        for t in range(options.horizon):
            observations[t] = torch.from_numpy(seen["observation"])
            masks[t] = torch.from_numpy(seen["action_mask"])
            with torch.no_grad():
                policy, values[t] = network(observations[t], masks[t])
                chosen[t] = policy.sample()
                chances[t] = policy.log_prob(chosen[t])
            seen, reward, terminations, _, _ = env.step(chosen[t].numpy())
            rewards[t] = torch.from_numpy(reward)
            ends[t] = torch.from_numpy(terminations)

        with torch.no_grad():
            _, last = network(torch.from_numpy(seen["observation"]), torch.from_numpy(seen["action_mask"]))
        gains = advantages(rewards, values, ends, last, options.gamma, options.gae_lambda)
        rows = {
            "observation": observations.flatten(0, 1),
            "mask": masks.flatten(0, 1),
            "action": chosen.flatten(),
            "chance": chances.flatten(),
            "gain": gains.flatten(),
            "return": (gains + values).flatten(),
        }
        for _ in range(options.epochs):
            for picked in torch.randperm(rollout).chunk(options.minibatches):
                batch = {name: row[picked] for name, row in rows.items()}
                policy, value = network(batch["observation"], batch["mask"])
                ratio = (policy.log_prob(batch["action"]) - batch["chance"]).exp()
                gain = (batch["gain"] - batch["gain"].mean()) / (batch["gain"].std(correction=0) + 1e-8)
                clipped = ratio.clamp(1 - options.clip, 1 + options.clip)
                policy_loss = -torch.min(ratio * gain, clipped * gain).mean()
                value_loss = 0.5 * (value - batch["return"]).square().mean()
                entropy = policy.entropy().mean()
                loss = policy_loss + options.value * value_loss - options.entropy * entropy
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(network.parameters(), options.max_gradient)
                optimizer.step()

        curve.append(float(rewards.sum() / ends.sum().clamp(min=1)) / options.scale)
        if update % 10 == 0 or update == updates - 1:
            steps = (update + 1) * rollout
            speed = steps / (time.perf_counter() - started)
            print(f"step {steps:>9,}  points per game {curve[-1]:+7.2f}  {speed:,.0f} steps/s")
    return curve


if __name__ == "__main__":
    train(tyro.cli(Options, description=__doc__))
