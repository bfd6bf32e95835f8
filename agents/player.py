"""An agent put together from two: one for what comes before the cardplay, one for the cards."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from skat_env.lockstep import decide, decide_many, is_batched
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
        return decide(self._part(view), view, state, rng)

    def _part(self, view: Any) -> Agent:
        return self._cardplayer if view.stage == self._cardplay else self._bidder


class BatchPlayer(Player):
    """A player of whose parts one or both are batch agents."""

    def decide_many(self, views: Sequence[Any], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The decisions of the parts, each asked for its own views."""
        decisions: dict[int, Decision] = {}
        in_cardplay = [view.stage == self._cardplay for view in views]
        for part, stage in ((self._bidder, False), (self._cardplayer, True)):
            mine = [number for number, cardplay in enumerate(in_cardplay) if cardplay is stage]
            if mine:
                asked = decide_many(part, [views[i] for i in mine], [rngs[i] for i in mine])
                decisions.update(zip(mine, asked, strict=True))
        return [decisions[number] for number in range(len(views))]


def make_player(bidding: str | Agent, cardplay: str | Agent, game: str) -> Player:
    """The player of two parts, which decides in batches if one of them does."""
    parts = [make_agent(part, game) for part in (bidding, cardplay)]
    kind = BatchPlayer if any(map(is_batched, parts)) else Player
    return kind(parts[0], parts[1], game)
