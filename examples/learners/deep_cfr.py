"""Deep counterfactual regret minimization (Brown et al. 2019) with external sampling, for endings.

skat-env bench train examples/learners/deep_cfr.py --task SkatEnding-v0 --seeds 3 --out results/bench

In each iteration every seat in turn tries all of its actions, while the others and the deal are drawn. One network
learns the regret of each action, and regret matching on it is the next strategy; another learns the average of all
strategies, which is the result. Later iterations weigh more (linear CFR). Both networks are kept from one iteration to
the next; the paper's begin anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from skat_env.agents.bench.task import Task
from skat_env.agents.bench.torch_arrays import arrays_of, restore_parts
from skat_env.agents.learners.experience.memory import Memory
from skat_env.agents.learners.networks.sparse_linear import SparseLinear
from skat_env.errors import OptionError
from skat_env.registry import get_game

MOST: Final = 100_000
"""Positions of one depth; endings of three tricks have about eight for each game."""


@dataclass(frozen=True)
class Options:
    """Options of deep counterfactual regret minimization."""

    games: int = 64
    """Games in which each seat tries its actions in an iteration."""
    hidden: int = 256
    """Width of both hidden layers of each network."""
    learning_rate: float = 1e-3
    memory: int = 200_000
    """Decisions that each network learns from, a fair sample of all."""
    batch: int = 256
    """Decisions of a gradient step."""
    reuse: float = 4.0
    """How often a decision is drawn for learning, by each network, while it comes in."""


class Learner:
    """Deep counterfactual regret minimization."""

    def __init__(self, task: Task, options: Options, seed: int) -> None:
        torch.set_num_threads(1)  # more are slower for networks of this size
        torch.manual_seed(seed)
        self.task, self.options, self.start = task, options, task.start_source()
        self.unit = get_game(task.game).reward_unit(None)
        state = self.start(np.random.default_rng(seed))
        features, actions = len(state.observe(state.to_act)), len(state.action_mask())
        self.regret, self.average = (network(features, actions, options.hidden) for _ in range(2))
        self.adam, self.adam_average = (
            torch.optim.Adam(each.parameters(), lr=options.learning_rate, fused=True)
            for each in (self.regret, self.average)
        )
        self.regrets = Memory("regrets", options.memory, reservoir=True)
        self.strategies = Memory("strategies", options.memory, reservoir=True)
        self.iteration = np.zeros(1, np.int64)

    def learn(self, steps: int, seed: int) -> int:
        """Makes iterations until so many decisions were tried."""
        torch.manual_seed(seed)
        self.rng, self.tried = np.random.default_rng(seed), 0
        while self.tried < steps:
            before = self.tried
            self.iteration += 1
            for seat in range(len(get_game(self.task.game).seats)):
                self.traverse([self.start(self.rng).clone() for _ in range(self.options.games)], seat)
            for _ in range(round(self.options.reuse * (self.tried - before) / self.options.batch)):
                self.learn_regret()
                self.learn_average()
        return self.tried

    def traverse(self, states: Sequence[Any], seat: int) -> NDArray[np.float32]:
        """What a seat gets in some games, float32 [games]: it tries all actions, the others draw.

        Raises:
            OptionError: if there are too many positions.
        """
        result = np.zeros(len(states), np.float32)
        running = np.array([not state.is_over for state in states])
        ended = [state.returns(self.unit)[seat] for state in states if state.is_over]
        result[~running] = np.array(ended) * self.task.scale
        if not running.any():
            return result
        now = [state for state in states if not state.is_over]
        own = np.array([state.to_act == seat for state in now])
        mask = np.stack([state.action_mask() for state in now])
        observation = np.stack([state.observe(state.to_act) for state in now])
        chances = self.matched(observation, mask)
        drawn = torch.multinomial(torch.from_numpy(chances), 1).numpy()
        tries = np.where(own[:, None], mask != 0, np.arange(mask.shape[1]) == drawn)
        rows, actions = np.nonzero(tries)
        if len(rows) > MOST:
            raise OptionError(
                f"deep_cfr tries all actions of a seat, in {self.task.id} over {MOST:,} at once: "
                "expected a task of endings, or fewer games"
            )
        worth = np.zeros(mask.shape, np.float32)
        later = [after(now[row], action) for row, action in zip(rows.tolist(), actions.tolist(), strict=True)]
        worth[rows, actions] = self.traverse(later, seat)
        value = np.where(own, (chances * worth).sum(1), worth.sum(1))
        columns = {"observation": observation, "mask": mask, "chances": chances}
        columns["regret"] = (worth - value[:, None]) * mask
        columns["weight"] = np.full(len(now), self.iteration[0], np.float32)
        for memory, kept in ((self.regrets, own), (self.strategies, ~own)):
            if kept.any():
                memory.add({name: column[kept] for name, column in columns.items()}, self.rng)
        self.tried += len(now)
        result[running] = value
        return result

    @torch.no_grad()
    def matched(self, observation: NDArray[np.int8], mask: NDArray[np.int8]) -> NDArray[np.float32]:
        """Regret matching, float32 [n, actions]: by positive regret, or the action of the largest one if none is."""
        legal = torch.from_numpy(mask) != 0
        regret = self.regret(torch.from_numpy(observation).float()).masked_fill(~legal, -torch.inf)
        positive = regret.clamp(min=0)
        best = nn.functional.one_hot(regret.argmax(1), mask.shape[1])
        total = positive.sum(1, keepdim=True)
        return torch.where(total > 0, positive / total.clamp(min=1e-12), best.float()).numpy()

    def learn_regret(self) -> None:
        """A step towards the regrets."""
        drawn = self.drawn(self.regrets)
        error = (self.regret(drawn["observation"].float()) - drawn["regret"]) * drawn["mask"]
        step(self.adam, (drawn["weight"] * error.square().sum(1)).mean())

    def learn_average(self) -> None:
        """A step towards the strategies."""
        drawn = self.drawn(self.strategies)
        logs = self.logs(drawn["observation"], drawn["mask"])
        step(self.adam_average, -(drawn["weight"] * (drawn["chances"] * logs).sum(1)).mean())

    def drawn(self, memory: Memory) -> dict[str, Tensor]:
        """A batch of a memory, with weights relative to the present iteration."""
        rows = memory.draw(self.rng, self.options.batch)
        rows["weight"] = rows["weight"] / np.float32(self.iteration[0])
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
        networks = {"regret": self.regret, "average": self.average}
        return networks | {"adam": self.adam, "adam_average": self.adam_average}

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Weights, moments, memories, and the number of iterations."""
        kept = arrays_of(**self.parts()) | self.regrets.arrays() | self.strategies.arrays()
        return kept | {"iteration": self.iteration}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Goes on from what was kept."""
        restore_parts(arrays, **self.parts())
        self.regrets.restore(arrays)
        self.strategies.restore(arrays)
        self.iteration = arrays["iteration"].copy()


def after(state: Any, action: int) -> Any:
    """The state after an action."""
    state = state.clone()
    state.apply(action)
    return state


def network(features: int, actions: int, hidden: int) -> nn.Sequential:
    """A number for each action."""
    layers = (SparseLinear(features, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
    return nn.Sequential(*layers, nn.Linear(hidden, actions))


def step(adam: torch.optim.Optimizer, loss: Tensor) -> None:
    """A gradient step."""
    adam.zero_grad()
    loss.backward()
    adam.step()
