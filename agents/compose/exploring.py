"""`exploring(agent=ismcts(simulations=800), share=0.3, smoothing=0.05)`: sometimes plays an action drawn from a search.

Learners thus see positions that the search would avoid; decisions still hold the search's own weights and value.
`exploring(agent=policy, share=0, random_cards=0.02, random_bids=0.1)` plays what good players avoid.
"""

import dataclasses
from collections.abc import Sequence
from typing import Annotated

import numpy as np

from skat_env.agents.compose._exploring import ExploringLanes
from skat_env.agents.compose.composite import Delegating
from skat_env.options import NonNegative, Range, Share, checked_options
from skat_env.own_text import own_text
from skat_env.play._lanes import LanePlayer
from skat_env.play.capabilities import Abilities, decide, decide_many
from skat_env.play.lanes import in_lanes
from skat_env.protocols import Agent, Decision, State, View
from skat_env.registry import get_game, make_agent


class Exploring(Delegating):
    """Draws a share of its actions from the weights of another agent, and others from all that are legal.

    Args:
        agent: the agent, or its name; its decisions without weights are played unchanged.
        share: the share of decisions whose action is drawn.
        smoothing: added to the weight of every legal action before the draw; the weights themselves sum to 1.
        temperature: weights are raised to the power 1/temperature before the draw: below 1 the likely actions become
            likelier, above 1 the unlikely ones.
        random_cards: the share of the decisions of the cardplay in which every legal action is equally likely.
        random_declarations: the same between the auction and the cardplay (Skat: the skat or a hand game, contract,
            announcement, discards); in games without such a stage, before the cardplay (Klaverjas: trumps).
        random_bids: the same in the auction; in games without one, none.

    Raises:
        ValueError: if an option is out of range; its subclasses for unknown names.
    """

    @checked_options("exploring")
    def __init__(
        self,
        agent: str | Agent,
        *,
        share: Share = 1.0,
        smoothing: NonNegative = 0.0,
        temperature: Annotated[float, Range(gt=0)] = 1.0,
        random_cards: Share = 0.0,
        random_declarations: Share = 0.0,
        random_bids: Share = 0.0,
        game: str,
    ) -> None:
        self._agent = make_agent(agent, game)
        self._share, self._smoothing, self._temperature = share, smoothing, temperature
        stages = get_game(game).stages
        self._random = dict.fromkeys(stages, random_bids)
        self._random |= dict.fromkeys(stages[1:-1] or stages[:-1], random_declarations)
        self._random[stages[-1]] = random_cards
        self.delegate_to(self._agent, own=Abilities())
        self.name = own_text(self, "exploring", "share", "smoothing", agent=self._agent)

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        """The agent's decision, sometimes with another action."""
        return self.decide_many([view], [rng])[0]

    def decide_knowing(self, view: View, state: State, rng: np.random.Generator) -> Decision:
        """The same of an agent that cheats."""
        return self._drawn(decide(self._agent, view, state, rng), view, rng)

    def decide_many(self, views: Sequence[View], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The decisions for many views."""
        decisions = decide_many(self._agent, views, rngs)
        return [self._drawn(*each) for each in zip(decisions, views, rngs, strict=True)]

    def in_lanes(self) -> LanePlayer | None:
        """The same in lanes; None if the agent cannot play in lanes."""
        player = in_lanes(self._agent)
        if player is None:
            return None
        shares = list(self._random.values())
        return ExploringLanes(player, self._share, self._smoothing, self._temperature, shares)

    def _drawn(self, decision: Decision, view: View, rng: np.random.Generator) -> Decision:
        actions = view.legal_actions()
        random = self._random[view.stage]
        if random and len(actions) > 1 and rng.random() < random:
            return dataclasses.replace(decision, action=actions[int(rng.random() * len(actions))])
        if decision.weights is None or rng.random() >= self._share:
            return decision
        chances = decision.weights[actions].astype(np.float64)
        if self._temperature != 1:
            chances = (chances / chances.max()) ** (1 / self._temperature)
            chances /= chances.sum()
        chances += self._smoothing
        return dataclasses.replace(decision, action=int(rng.choice(actions, p=chances / chances.sum())))
