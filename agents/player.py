"""An agent put together from two: one for what comes before the cardplay, one for the cards."""

from typing import Any

import numpy as np

from skat_env.protocols import Agent, Decision
from skat_env.registry import get_game, make_agent


class Player:
    """Any bidder with any cardplayer: `player(bidding=rule, cardplay=pimc(worlds=40))`."""

    def __init__(self, bidding: str | Agent, cardplay: str | Agent, game: str) -> None:
        self._bidder = make_agent(bidding, game)
        self._cardplayer = make_agent(cardplay, game)
        self._cardplay = get_game(game).stages[-1]
        self.name = f"player(bidding={self._bidder.name}, cardplay={self._cardplayer.name})"
        self.cheats = any(getattr(agent, "cheats", False) for agent in (self._bidder, self._cardplayer))

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        """The decision of the one whose part it is."""
        return self._part(view).decide(view, rng)

    def decide_knowing(self, view: Any, state: Any, rng: np.random.Generator) -> Decision:
        """The same, with the true state for a part that cheats."""
        part: Any = self._part(view)
        decision: Decision = (
            part.decide_knowing(view, state, rng)
            if getattr(part, "cheats", False)
            else part.decide(view, rng)
        )
        return decision

    def _part(self, view: Any) -> Agent:
        return self._cardplayer if view.stage == self._cardplay else self._bidder
