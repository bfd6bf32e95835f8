"""Playing what a search likes less now and then, so that a learner sees where that leads."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from skat_env.lockstep import decide_many
from skat_env.protocols import Agent, Decision


class Exploring:
    """An agent that draws some actions from another's weights.

    Args:
        agent: whose decisions tell weights; those that tell none are played as they are.
        share: of the decisions that are drawn.
        smoothing: is added to the weight of every legal action, of which the sum is 1, before one is drawn.
    """

    def __init__(self, agent: Agent, share: float, smoothing: float) -> None:
        self._agent, self._share, self._smoothing = agent, share, smoothing
        self.name = f"exploring({agent.name})"

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        """The agent's decision, or with its weights and value another action."""
        return self.decide_many([view], [rng])[0]

    def decide_many(self, views: Sequence[Any], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The same for many views."""
        decisions = decide_many(self._agent, views, rngs)
        return [self._drawn(*each) for each in zip(decisions, views, rngs, strict=True)]

    def _drawn(self, decision: Decision, view: Any, rng: np.random.Generator) -> Decision:
        if decision.weights is None or rng.random() >= self._share:
            return decision
        actions = view.legal_actions()
        chances = decision.weights[actions].astype(np.float64) + self._smoothing
        return dataclasses.replace(decision, action=int(rng.choice(actions, p=chances / chances.sum())))
