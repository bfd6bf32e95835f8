"""What an agent gets on the deals that a task is measured on, and what that is on its scale."""

import json
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.bench.task import DATA, EVALUATION_SEED, OPPONENT, Task
from skat_env.options import Count, checked_options
from skat_env.play.lockstep import play_games
from skat_env.protocols import ACTION_BITS, Agent, Decision, View
from skat_env.registry import get_game, make_agent
from skat_env.solvers.endings.ending import Ending
from skat_env.solvers.endings.policy import CARDS, AgentPolicy, Policy
from skat_env.solvers.endings.response import nash_conv

CHAMPION: Final = "champion(quick=true)"
ANCHORS: Final = ("random", "rule", CHAMPION)
"""The agents of the scale: 0, in between, 1."""


class Observing:
    """A learner as an agent: it acts by observations, as environments give them.

    Args:
        learner: its `chances` are the weights of the decisions; without them its `act` decides.
    """

    name = "learner"
    batched = True

    def __init__(self, learner: Any) -> None:
        self._learner, self._draws = learner, hasattr(learner, "chances")

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        """The decision in one view."""
        return self.decide_many([view], [rng])[0]

    def decide_many(self, views: Sequence[Any], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The decisions in many views, asked for in one call."""
        observation = np.stack([view.observe(view.seat) for view in views])
        mask = np.stack([view.action_mask() for view in views])
        if not self._draws:
            return [Decision(action) for action in self._learner.act(observation, mask).tolist()]
        weights = np.zeros((len(views), ACTION_BITS), np.float32)
        weights[:, : mask.shape[1]] = self._learner.chances(observation, mask)
        return [
            Decision(action, row) for action, row in zip(weights.argmax(1).tolist(), weights, strict=True)
        ]

    def probabilities(self, views: Sequence[Any]) -> NDArray[np.float64]:
        """The probability of each card in each view, float64 [views, 32]: the same policy, asked faster."""
        observation = np.stack([view.observe(view.seat) for view in views])
        mask = np.stack([view.action_mask() for view in views])
        chances = np.zeros((len(views), CARDS))
        if self._draws:
            chances += self._learner.chances(observation, mask)[:, :CARDS]
        else:
            chances[np.arange(len(views)), self._learner.act(observation, mask)] = 1
        return chances


@checked_options("the points of a task")
def points(task: Task, agent: str | Agent, deals: Count | None = None) -> NDArray[np.float64]:
    """The points of the agent in each deal of the task's evaluation, float64 [deals], in the unit of rewards.

    It has its seat and those of its team, `rule` has the others.

    Args:
        task: the task.
        agent: the agent, or its name.
        deals: the number of deals, drawn from all once for ever; None: all.
    """
    game = get_game(task.game)
    states = task.evaluation_starts()
    own = task.seats(states)
    # The starts are in order of their kinds; each keeps its seat and its luck.
    numbers = sorted(np.random.default_rng(EVALUATION_SEED).permutation(len(states))[:deals].tolist())
    states, own = [states[number] for number in numbers], [own[number] for number in numbers]
    learner, other = make_agent(agent, task.game), make_agent(OPPONENT, task.game)
    teams = {seat: team for team in game.teams for seat in team}
    agents = [[learner if seat in teams[mine] else other for seat in range(len(game.seats))] for mine in own]
    rngs = [[np.random.default_rng([number, seat]) for seat in range(len(game.seats))] for number in numbers]
    play_games(states, agents, rngs)
    unit = game.reward_unit(None)
    return np.array([state.returns(unit)[mine] for state, mine in zip(states, own, strict=True)], np.float64)


@checked_options("the exploitability in a task")
def exploitability(task: Task, agent: Agent) -> float | None:
    """What best responses to an agent win from it in endings, in points per ending: the sum over seats (NashConv).

    Each ending is a game of its own: chance draws one of the worlds that the seat to act cannot tell apart, and all
    seats play on. It is exact for the agent's policy: the weights of its decisions, where it has them.

    Args:
        task: a task of endings; None is returned for others.
        agent: at all seats.
    """
    if not task.endings:
        return None
    policy: Policy = agent if isinstance(agent, Observing) else AgentPolicy(agent, samples=None)
    game, gains = get_game(task.game), []
    for state in task.evaluation_starts()[: task.endings]:
        ending = Ending.of_view(state.view(state.to_act), game=task.game, outcome=game.reward_unit(None))
        gains.append(nash_conv(ending, dict.fromkeys(range(len(game.seats)), policy)))
    return float(np.mean(gains))


def anchors(task: Task) -> dict[str, float]:
    """The mean points of the agents of the scale, measured once (`python -m benchmarks.make.task_anchors`)."""
    kept: dict[str, dict[str, float]] = json.loads((DATA / "anchors.json").read_text())["anchors"]
    return kept[task.id]


def score(task: Task, mean: float) -> float:
    """A mean of points on the task's scale: 0 is `random`, 1 is `champion(quick=true)`; scores may be beyond both."""
    fixed = anchors(task)
    return (mean - fixed["random"]) / (fixed[CHAMPION] - fixed["random"])
