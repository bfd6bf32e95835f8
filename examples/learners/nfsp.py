"""Neural fictitious self-play (Heinrich and Silver 2016).

skat-env bench train examples/learners/nfsp.py --task SkatSuit-v0 --seeds 3 --out results/bench

In each game every seat plays either its best response, a network of values learnt by deep Q-learning from the games of
all, or its average strategy, a network learnt from what best responses have played so far. The average is the result.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from skat_env.agents.bench.task import Task
from skat_env.agents.bench.torch_arrays import arrays_of, restore_parts
from skat_env.agents.bench.wave import Wave, play_wave
from skat_env.agents.learners.experience.memory import Memory
from skat_env.agents.learners.networks.sparse_linear import SparseLinear


@dataclass(frozen=True)
class Options:
    """Options of neural fictitious self-play."""

    games: int = 256
    """Games of a wave."""
    hidden: int = 256
    """Width of both hidden layers of each network."""
    learning_rate: float = 1e-3
    anticipatory: float = 0.1
    """How often a seat plays its best response."""
    explore: float = 0.06
    """The share of a best response's actions drawn at random."""
    recent: int = 100_000
    """Decisions that the best response is learnt from, the last ones."""
    reservoir: int = 200_000
    """Decisions that the average is learnt from, of all that best responses have made."""
    batch: int = 256
    """Decisions of a gradient step."""
    reuse: float = 2.0
    """How often a decision is drawn for learning, by each network, while it comes in."""
    refresh: int = 100
    """Gradient steps until the values that are aimed at are computed with newer weights."""


class Learner:
    """Neural fictitious self-play."""

    def __init__(self, task: Task, options: Options, seed: int) -> None:
        torch.set_num_threads(1)  # more are slower for networks of this size
        torch.manual_seed(seed)
        self.options = options
        self.games = task.self_play(options.games)
        features = self.games.single_observation_space["observation"].shape[0]
        actions = int(self.games.single_action_space.n)
        self.worth, self.average = (network(features, actions, options.hidden) for _ in range(2))
        self.target = copy.deepcopy(self.worth).requires_grad_(False)
        self.adam, self.adam_average = (
            torch.optim.Adam(each.parameters(), lr=options.learning_rate, fused=True)
            for each in (self.worth, self.average)
        )
        self.recent = Memory("recent", options.recent)
        self.reservoir = Memory("reservoir", options.reservoir, reservoir=True)
        self.updates = np.zeros(1, np.int64)

    def learn(self, steps: int, seed: int) -> int:
        """Plays waves, remembers them, and learns from what is remembered."""
        torch.manual_seed(seed)
        self.rng = np.random.default_rng(seed)
        done = 0
        while done < steps:
            size = (self.games.num_envs, self.games.num_players)
            self.responds = self.rng.random(size) < self.options.anticipatory
            wave = play_wave(self.games, self.play, int(self.rng.integers(2**63)))
            self.remember(wave)
            for _ in range(round(self.options.reuse * len(wave.action) / self.options.batch) or 1):
                self.learn_response()
                if len(self.reservoir):
                    self.learn_average()
            done += len(wave.action)
        return done

    @torch.no_grad()
    def play(
        self, observation: NDArray[np.int8], mask: NDArray[np.int8], lanes: NDArray[np.int64]
    ) -> tuple[NDArray[Any], ...]:
        """Best responses, now and then a random action, or actions drawn from the average, as the seat plays now."""
        responds = self.responds[lanes, [self.games.state(lane).to_act for lane in lanes.tolist()]]
        seen, legal = torch.from_numpy(observation), torch.from_numpy(mask)
        best = self.worth(seen.float()).masked_fill(legal == 0, -torch.inf).argmax(1)
        chances = torch.where(
            torch.from_numpy(responds)[:, None],
            self.options.explore * legal / legal.sum(1, keepdim=True)
            + (1 - self.options.explore) * nn.functional.one_hot(best, legal.shape[1]),
            self.logs(seen, legal).exp(),
        )
        return torch.multinomial(chances, 1)[:, 0].numpy(), responds

    def remember(self, wave: Wave) -> None:
        """Every decision with what came next for its seat, and those of best responses for the average."""
        turns, (responds,) = wave.turns(), wave.further
        following = np.full(len(wave.action), -1)
        # Padding writes into the last row, which is nobody's but the last.
        following[turns[:, :-1]] = turns[:, 1:]
        last = following < 0
        self.recent.add(
            {
                "observation": wave.observation,
                "action": wave.action,
                "result": np.where(last, wave.result, 0).astype(np.float32),
                "following": wave.observation[following],
                "following_mask": np.where(last[:, None], 0, wave.mask[following]).astype(np.int8),
            }
        )
        rows = np.flatnonzero(responds)
        if len(rows):
            columns = {"observation": wave.observation, "mask": wave.mask, "action": wave.action}
            self.reservoir.add({name: column[rows] for name, column in columns.items()}, self.rng)

    def learn_response(self) -> None:
        """A step of deep Q-learning."""
        drawn = self.drawn(self.recent)
        with torch.no_grad():
            worth = self.target(drawn["following"].float()).masked_fill(
                drawn["following_mask"] == 0, -torch.inf
            )
            # Without a legal action there is no next decision.
            best = worth.max(1).values
            aim = torch.where(best.isinf(), drawn["result"], best)
        worth = self.worth(drawn["observation"].float()).gather(1, drawn["action"][:, None])[:, 0]
        step(self.adam, nn.functional.mse_loss(worth, aim))
        self.updates += 1
        if self.updates[0] % self.options.refresh == 0:
            self.target.load_state_dict(self.worth.state_dict())

    def learn_average(self) -> None:
        """A step towards what best responses have played."""
        drawn = self.drawn(self.reservoir)
        logs = self.logs(drawn["observation"], drawn["mask"])
        step(self.adam_average, nn.functional.nll_loss(logs, drawn["action"]))

    def drawn(self, memory: Memory) -> dict[str, Tensor]:
        """A batch of a memory."""
        rows = memory.draw(self.rng, self.options.batch)
        return {name: torch.from_numpy(column) for name, column in rows.items()}

    def logs(self, observation: Tensor, mask: Tensor) -> Tensor:
        """The log-probabilities of actions in the average, float32 [n, actions]."""
        return torch.log_softmax(self.average(observation.float()).masked_fill(mask == 0, -1e8), 1)

    @torch.no_grad()
    def chances(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.float32]:
        """The probabilities of actions in the average."""
        return self.logs(torch.from_numpy(observation), torch.from_numpy(mask)).exp().numpy()

    def parts(self) -> dict[str, nn.Module | torch.optim.Optimizer]:
        """The networks and their optimizers."""
        networks = {"worth": self.worth, "target": self.target, "average": self.average}
        return networks | {"adam": self.adam, "adam_average": self.adam_average}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Weights, moments, memories, and the number of steps."""
        kept = arrays_of(**self.parts()) | self.recent.arrays() | self.reservoir.arrays()
        return kept | {"updates": self.updates}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from what was kept."""
        restore_parts(arrays, **self.parts())
        self.recent.restore(arrays)
        self.reservoir.restore(arrays)
        self.updates = arrays["updates"].copy()


def network(features: int, actions: int, hidden: int) -> nn.Sequential:
    """A number for each action."""
    layers = (SparseLinear(features, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
    return nn.Sequential(*layers, nn.Linear(hidden, actions))


def step(adam: torch.optim.Optimizer, loss: Tensor) -> None:
    """A gradient step."""
    adam.zero_grad()
    loss.backward()
    adam.step()
