"""PPO with action masks that plays all seats itself, or against an agent.

Schulman et al. 2017, with generalized advantages (Schulman et al. 2016).

skat-env bench train examples/learners/ppo.py --task SkatSuit-v0 --seeds 3 --out results/bench

A wave of games is played to its end by one network for all seats; each decision is learnt from with the result of its
own seat. Options make other learners of it:

- `--set magnet=0.05 --name mmd`: magnetic mirror descent (Sokota et al. 2023). The policy is also held near a slow copy
  of itself, which self-play needs to come to rest near an equilibrium.
- `--set all_cards=true --name open_critic`: the value is that of a second network, which sees all cards.
- `--set recurrent=64 --name recurrent_ppo`: a GRU reads the tricks of the game, one after the other.
- `--set teacher=rule --name imitation`: it first learns what the agent `rule` does.
- `--set against=rule --name against_rule`: the agent `rule` plays the cards of the declarer or of the defence, in turn,
  so that both sides learn against it, as they are measured. It is no teacher: nothing is learnt of what it does.
- `--set practice=SkatDefence-v0 --name practised`: about half of the waves are games of another task,
  such as cards after declarations of `rule`, which are exploring starts for who cannot declare yet.
- `--set ordered=true --name ordered`: what is learnt of one suit holds for those that are alike.

Who plays cards by chance loses as the declarer, so that whole games soon teach everybody to pass. `warm_up` and
`explore` are exploring starts (Sutton and Barto 2018, section 5.3): bids are drawn more evenly, and not learnt from.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from skat_env.agents.bench.suit_order import SuitOrder
from skat_env.agents.bench.task import Task, get_task
from skat_env.agents.bench.torch_arrays import arrays_of, restore_parts
from skat_env.agents.bench.wave import advantages, ask_agent, open_cards, play_wave
from skat_env.agents.learners.networks.sparse_linear import SparseLinear
from skat_env.errors import OptionError
from skat_env.features import slices
from skat_env.registry import get_game, make_agent


@dataclass(frozen=True)
class Options:
    """Options of PPO."""

    games: int = 256
    """Games of a wave."""
    hidden: int = 256
    """Width of both hidden layers."""
    learning_rate: float = 5e-4
    decay: int = 0
    """Decisions in which the learning rate falls to a tenth; 0: it stays."""
    gae_lambda: float = 0.95
    """Lambda of the advantages."""
    epochs: int = 2
    """Passes over a wave."""
    batch: int = 1024
    """Decisions of a gradient step."""
    clip: float = 0.2
    """How far the ratio of probabilities counts beyond 1, and below."""
    entropy: float = 0.01
    """Weight of the entropy."""
    certain: float = 1.0
    """Of decisions that had a larger probability one in eight is learnt from: they change little."""
    explore: float = 0.0
    """The share of games in which all who may pass draw what they do with a temperature."""
    temperature: float = 5.0
    warm_up: int = 0
    """Decisions until which all games are such."""
    magnet: float = 0.0
    """Weight of the divergence from the slow copy; 0: there is none."""
    magnet_rate: float = 0.05
    """How much of the policy the slow copy takes over after a wave."""
    ordered: bool = False
    """Whether suits stand in an order of their own in all that the networks see."""
    all_cards: bool = False
    """Whether the value is that of a network which sees all cards."""
    recurrent: int = 0
    """Width of the GRU that reads the tricks; 0: there is none."""
    against: str = ""
    """The agent that plays the cards of one side of each game; empty: none."""
    practice: str = ""
    """Another task of the game, of whose games about half of the waves are; empty: none."""
    teacher: str = ""
    """The agent whose decisions are learnt first; empty: none."""
    lessons: int = 20_000
    """Decisions of the teacher to learn from."""
    device: str = "cpu"
    """Where the networks are: cpu or cuda."""


class Tricks(nn.Module):
    """Reads the tricks of observations, which say the whole history, so that nothing is kept between decisions."""

    def __init__(self, game: str, hidden: int) -> None:
        super().__init__()
        self.features = {feature.name: feature.shape for feature in get_game(game).features}
        self.slices = slices(get_game(game).features)
        cards, leaders = self.features["played"], self.features["leaders"]
        self.gru = nn.GRU(cards[0] * cards[1] + leaders[1], hidden, batch_first=True)

    def forward(self, observation: Tensor) -> Tensor:
        """What is remembered after the last trick, float32 [n, hidden]."""
        played, cards, leaders = (
            observation[:, self.slices[name]].unflatten(1, self.features[name])
            for name in ("played", "trick_of_card", "leaders")
        )
        by_seat = (cards[:, :, None] * played[:, None]).flatten(2)
        _, last = self.gru(torch.cat((by_seat, leaders), 2))
        return last[0]


class Network(nn.Module):
    """A policy of the bits that a seat sees, and a value of them or, with open cards, of all."""

    def __init__(self, game: str, features: int, opened: int, actions: int, options: Options) -> None:
        super().__init__()
        hidden = options.hidden
        self.suits = SuitOrder(game) if options.ordered else None
        self.tricks = Tricks(game, options.recurrent) if options.recurrent else None
        self.body = layers(features + options.recurrent, hidden)
        self.critic = layers(features + opened, hidden) if opened else None
        self.policy, self.value = nn.Linear(hidden, actions), nn.Linear(hidden, 1)
        nn.init.zeros_(self.policy.weight)

    def forward(
        self, observation: Tensor, mask: Tensor, opened: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Log-probabilities [n, actions], and values [n]: of the open cards if there are any; float32, on the device of
        the networks. The arguments are on the processor.
        """
        if self.suits is not None:
            order = self.suits.of(observation)
            observation = self.suits.observations(observation, order)
            opened = None if opened is None else self.suits.places(opened, order)
        device = self.policy.weight.device
        seen = observation.to(device).float()
        hidden = self.body(seen if self.tricks is None else torch.cat((seen, self.tricks(seen)), 1))
        # A finite number: the entropy multiplies it by a probability of 0.
        logits = self.policy(hidden)
        if self.suits is not None:
            logits = self.suits.actions(logits, order)
        logits = logits.masked_fill(mask.to(device) == 0, -1e8)
        if self.critic is not None and opened is not None:
            hidden = self.critic(torch.cat((seen, opened.to(device).float()), 1))
        return torch.log_softmax(logits, 1), self.value(hidden).squeeze(1)


def layers(inputs: int, hidden: int) -> nn.Sequential:
    """Two hidden layers; most bits are 0."""
    return nn.Sequential(SparseLinear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())


class Learner:
    """PPO against itself, or against an agent."""

    def __init__(self, task: Task, options: Options, seed: int) -> None:
        torch.set_num_threads(1)  # more are slower for networks of this size
        torch.manual_seed(seed)
        if options.device not in ("cpu", "cuda") or (
            options.device == "cuda" and not torch.cuda.is_available()
        ):
            raise OptionError(
                f"device={options.device}: expected cpu, or cuda where torch finds a CUDA device"
            )
        self.options = options
        tasks = [task, get_task(options.practice)] if options.practice else [task]
        if tasks[-1].game != task.game:
            raise OptionError(f"practice={options.practice} is no task of {task.game}, the game of {task.id}")
        for other in tasks[1:]:
            task.checked(other.start_source())  # none of them may be a deal that the task is measured on
        self.all_games = [each.self_play(options.games) for each in tasks]
        self.games = self.all_games[0]
        self.against, self.teacher = (
            make_agent(name, task.game) if name else None for name in (options.against, options.teacher)
        )
        self.passing = get_game(task.game).actions.index("pass")
        self.made = np.zeros(1, np.int64)
        self.games.reset(seed=seed)
        features = self.games.single_observation_space["observation"].shape[0]
        actions = int(self.games.single_action_space.n)
        opened = self.opened(np.arange(1)).shape[1]
        self.network = Network(task.game, features, opened, actions, options).to(options.device)
        self.magnet = copy.deepcopy(self.network).requires_grad_(False)
        self.adam = torch.optim.Adam(self.network.parameters(), eps=1e-5, fused=True)

    def opened(self, lanes: NDArray[np.int64]) -> NDArray[np.int8]:
        """What the critic sees besides the observation, int8 [n, bits]: all cards or nothing."""
        return open_cards(self.games, lanes) if self.options.all_cards else np.empty((len(lanes), 0), np.int8)

    def learn(self, steps: int, seed: int) -> int:
        """Plays waves and learns from each."""
        torch.manual_seed(seed)
        seeds = np.random.default_rng(seed)
        done = 0
        while done < steps:
            taught = self.teacher is not None and self.made[0] < self.options.lessons
            self.games = self.all_games[seeds.integers(len(self.all_games))]
            player, against = (self.teach, None) if taught else (self.play, self.against)
            wave = play_wave(self.games, player, int(seeds.integers(2**63)), against)
            chance, value, opened = wave.further
            gain = advantages(wave, value, self.options.gae_lambda)
            result = wave.result if taught else gain + value
            columns = (wave.observation, wave.mask, wave.action, chance, gain, result, opened)
            # Nothing is learnt where there is no choice, or the action explored.
            learnt = (wave.mask.sum(1) > 1) & ~np.isnan(chance)
            learnt &= (np.exp(chance) <= self.options.certain) | (seeds.random(len(chance)) < 1 / 8)
            self.update(taught, *(torch.from_numpy(column[learnt]) for column in columns))
            self.made += len(gain)
            done += len(gain)
        return done

    @torch.no_grad()
    def play(
        self, observation: NDArray[np.int8], mask: NDArray[np.int8], lanes: NDArray[np.int64]
    ) -> tuple[NDArray[Any], ...]:
        """Draws actions; their log-probabilities, the values of the seats and what the critic saw are kept.

        Of actions that explore there is no log-probability.
        """
        opened, options = self.opened(lanes), self.options
        logs, value = (
            each.cpu() for each in self.network(*map(torch.from_numpy, (observation, mask, opened)))
        )
        share = 1.0 if self.made[0] < options.warm_up else options.explore
        explores = torch.from_numpy((mask[:, self.passing] != 0) & (lanes < share * options.games))
        flat = torch.where(explores, 1 / options.temperature, 1.0)
        action = torch.multinomial((logs * flat[:, None]).exp(), 1)
        chance = logs.gather(1, action)[:, 0].masked_fill(explores, torch.nan)
        return action[:, 0].numpy(), chance.numpy(), value.numpy(), opened

    def teach(
        self, observation: NDArray[np.int8], mask: NDArray[np.int8], lanes: NDArray[np.int64]
    ) -> tuple[NDArray[Any], ...]:
        """The teacher's actions, and nothing in the place of probabilities and values."""
        assert self.teacher is not None
        nothing = np.zeros(len(mask), np.float32)
        luck = np.random.default_rng(int(torch.randint(2**31, ())))
        return ask_agent(self.games, self.teacher, lanes, luck), nothing - np.inf, nothing, self.opened(lanes)

    def update(self, taught: bool, *columns: Tensor) -> None:
        """Some passes over the decisions of a wave; those of a teacher become likelier."""
        options = self.options
        gone = min(1.0, self.made[0] / options.decay) if options.decay else 0.0
        self.adam.param_groups[0]["lr"] = options.learning_rate * (1 - 0.9 * gone)
        for _ in range(options.epochs):
            for chosen in torch.randperm(len(columns[0])).split(options.batch):
                observation, mask, *others, opened = (each[chosen] for each in columns)
                action, chance, gain, result = (each.to(options.device) for each in others)
                logs, value = self.network(observation, mask, opened)
                chance_now = logs.gather(1, action[:, None])[:, 0]
                if taught:
                    loss = -chance_now.mean()
                else:
                    gain = (gain - gain.mean()) / (gain.std(correction=0) + 1e-8)
                    ratio = (chance_now - chance).exp()
                    clipped = ratio.clamp(1 - options.clip, 1 + options.clip)
                    chances = logs.exp()
                    loss = -torch.minimum(ratio * gain, clipped * gain).mean()
                    loss = loss + options.entropy * (chances * logs).sum(1).mean()
                    if options.magnet:
                        slow, _ = self.magnet(observation, mask)
                        loss = loss + options.magnet * (chances * (logs - slow)).sum(1).mean()
                loss = loss + 0.5 * (value - result).square().mean()
                self.adam.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(self.network.parameters(), 0.5)
                self.adam.step()
        for slow, weights in zip(self.magnet.parameters(), self.network.parameters(), strict=True):
            slow.lerp_(weights.detach(), options.magnet_rate)

    @torch.no_grad()
    def chances(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.float32]:
        """The probabilities of actions."""
        logs, _ = self.network(torch.from_numpy(observation), torch.from_numpy(mask))
        return logs.exp().cpu().numpy()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Weights, moments, and how many decisions there were."""
        return arrays_of(network=self.network, magnet=self.magnet, adam=self.adam) | {"made": self.made}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from what was kept."""
        restore_parts(arrays, network=self.network, magnet=self.magnet, adam=self.adam)
        self.made = arrays["made"].copy()
