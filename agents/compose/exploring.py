"""`exploring(agent=ismcts(simulations=800), share=0.3, smoothing=0.05)`: sometimes plays an action drawn from a search.

Learners thus see positions that the search would avoid; decisions still hold the search's own weights and value.
"""

import dataclasses
from collections.abc import Sequence

import numpy as np

from skat_env.options import NonNegative, Share, checked_options
from skat_env.play.capabilities import decide_many, is_batched, remembers
from skat_env.protocols import Agent, Decision, View
from skat_env.registry import make_agent


class Exploring:
    """Draws a share of its actions from the weights of another agent.

    Args:
        agent: the agent, or its name; its decisions without weights are played unchanged.
        share: the share of decisions whose action is drawn.
        smoothing: added to the weight of every legal action before the draw; the weights themselves sum to 1.

    Raises:
        ValueError: if an option is out of range; its subclasses for unknown names.
    """

    @checked_options("exploring")
    def __init__(
        self, agent: str | Agent, *, share: Share = 1.0, smoothing: NonNegative = 0.0, game: str
    ) -> None:
        self._agent = make_agent(agent, game)
        self._share, self._smoothing = share, smoothing
        self.batched = is_batched(self._agent)
        self.remembers = remembers(self._agent)
        self.name = f"exploring(agent={self._agent.name}, share={share:g}, smoothing={smoothing:g})"

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        """The agent's decision, sometimes with another action in place of its own."""
        return self.decide_many([view], [rng])[0]

    def decide_many(self, views: Sequence[View], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The decisions for many views."""
        decisions = decide_many(self._agent, views, rngs)
        return [self._drawn(*each) for each in zip(decisions, views, rngs, strict=True)]

    def _drawn(self, decision: Decision, view: View, rng: np.random.Generator) -> Decision:
        if decision.weights is None or rng.random() >= self._share:
            return decision
        actions = view.legal_actions()
        chances = decision.weights[actions].astype(np.float64) + self._smoothing
        return dataclasses.replace(decision, action=int(rng.choice(actions, p=chances / chances.sum())))
