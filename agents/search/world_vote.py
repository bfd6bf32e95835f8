"""What the searches have in common that draw worlds once per decision and choose by all of them together."""

from abc import ABC, abstractmethod

import numpy as np

from skat_env.agents.compose.composite import Delegating
from skat_env.play.capabilities import Abilities, decide, drawn_worlds, require_views
from skat_env.protocols import Agent, Decision, State, View, World, WorldSampler
from skat_env.registry import get_game, make_agent, make_belief


def bid_of(bidder: Agent, view: View, state: State | None, rng: np.random.Generator) -> Decision:
    """A bidder's decision; one that cheats needs the true state."""
    return bidder.decide(view, rng) if state is None else decide(bidder, view, state, rng)


class WorldVote(Delegating, ABC):
    """Draws worlds from a belief in the cardplay and lets subclasses choose by them.

    Args:
        worlds: the number of worlds drawn; all of them if there are no more.
        belief: the sampler of worlds, or its name; `cheating` sees the true world.
        bidder: the agent for everything before the cardplay, or its name.
        game: the game's name.
    """

    def __init__(self, worlds: int, belief: str | WorldSampler, bidder: str | Agent, game: str) -> None:
        self.worlds = worlds
        self.belief = make_belief(belief, game)
        self.bidder = make_agent(bidder, game)
        self.delegate_to(self.bidder, own=Abilities(cheats=self.belief.cheats))
        self._game = get_game(game)

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        """The search's decision in the cardplay, before it the bidder's; a single card is played unsearched."""
        return self._decide(view, None, rng)

    def decide_knowing(self, view: View, state: State, rng: np.random.Generator) -> Decision:
        """The decision with a belief or a bidder that cheats, which gets the true state."""
        return self._decide(view, state, rng)

    def _decide(self, view: View, state: State | None, rng: np.random.Generator) -> Decision:
        require_views(self._game, [view])
        if view.stage != self._game.stages[-1]:
            return bid_of(self.bidder, view, state, rng)
        actions = view.legal_actions()
        if len(actions) > 1:
            actions = self.narrowed(view, actions)
        if len(actions) == 1:
            return Decision(actions[0])
        if state is not None and self.belief.cheats:
            return self.vote([World(state, 1.0)], actions)
        return self.vote(drawn_worlds(self.belief, view, self.worlds, rng), actions)

    def narrowed(self, view: View, actions: list[int]) -> list[int]:
        """The cards to choose from among several legal ones: all of them."""
        return actions

    @abstractmethod
    def vote(self, worlds: list[World], actions: list[int]) -> Decision:
        """The decision for worlds of one information set, by their weights.

        Args:
            worlds: states in which the same seat is to act, with the same own cards and history.
            actions: the actions to choose from.
        """
