"""The belief in what an agent would have done: a world's weight is the probability of the cards that were played in it.

Rebstock 2019, equation 5.1, with the agent itself as the model of the players, in place of networks as `policy` has
them. It is what a best response to the agent has to believe (Lisý and Bowling 2017).
"""

from collections.abc import Mapping
from typing import Final

import numpy as np

from skat_env.beliefs.belief import Belief, Rows
from skat_env.beliefs.posterior import Drawn, Floats, ImportanceSample, PosteriorSampler
from skat_env.options import Count, Floor, checked_options
from skat_env.own_text import own_text
from skat_env.play.chances import chances, require_chances
from skat_env.play.game_cache import GameCache
from skat_env.protocols import Agent, View
from skat_env.registry import get_game, make_agent

BATCH: Final = 2048
"""Views that the agent is asked about together."""
MAX_KEPT: Final = 50_000
"""Views whose answers are kept for all games in play together."""
MIN_CHANCE: Final = 1e-6
"""The probability that replaces 0 where every world contains a card that the agent does not play."""

Seen = dict[View, float]
"""The logarithm of the probability of the card that was played, by view, in one game."""


class AgentInference(PosteriorSampler):
    """The posterior over a sample of worlds if all other seats play their cards as an agent does.

    What came before the cardplay is not weighed.

    Args:
        agent: the agent, or its name. Its probabilities must be known: it draws from the weights of its decisions, or
            uses no chance.
        k: the number of worlds drawn, all equally likely; all of them if there are no more.
        floor: the minimum probability of a card.

    Raises:
        ValueError: if an option is out of range, or the agent has no probabilities; its subclasses for unknown names.
    """

    exact = False

    @checked_options("a belief in an agent")
    def __init__(
        self, agent: str | Agent = "policy", *, k: Count = 1000, floor: Floor = 0.0, game: str
    ) -> None:
        self._agent = make_agent(agent, game)
        require_chances(self._agent, get_game(game))
        self._k, self._floor = k, floor
        self._seen: GameCache[Seen] = GameCache(MAX_KEPT, len)
        self.name = own_text(self, "agent", "agent", agent=self._agent)

    def posterior(self, view: View, rng: np.random.Generator) -> ImportanceSample:
        """All worlds of a view, or a sample of k, with their weights.

        If the agent's cards rule out every world, cards that it does not play get the probability `MIN_CHANCE`: the
        worlds with the fewest of them count.
        """
        belief = Belief(view)
        drawn: Drawn = "all" if self._k >= belief.count else "distinct"
        rows = belief.sample_distinct(self._k, rng)
        salt = int(rng.integers(2**63))
        seen = self._seen.take(view, rng) or {}
        past = Past(self._agent, view, belief, salt, seen)
        logs = past.logs(rows)
        floor = self._floor
        if not floor and not np.isfinite(logs.sum(axis=1)).any():
            self.fallbacks += 1
            floor = MIN_CHANCE
        self._seen.keep(view, rng, seen)
        least = np.log(floor) if floor else -np.inf

        def likelihood(some: Rows) -> Floats:
            return np.asarray(np.maximum(past.logs(some), least).sum(axis=1))

        return ImportanceSample(
            belief, rows, np.asarray(np.maximum(logs, least).sum(axis=1)), likelihood, drawn
        )


class Past:
    """The cards of the other seats so far, as an agent rates them in worlds.

    Args:
        agent: the agent.
        view: the view of the seat that draws the inference; its own cards count as certain.
        belief: the worlds of the view.
        salt: seeds what a world leaves open.
        seen: what the agent is known to do; added to.
    """

    def __init__(self, agent: Agent, view: View, belief: Belief, salt: int, seen: Seen) -> None:
        self._agent, self._view, self._belief = agent, view, belief
        self._salt, self._seen = salt, seen
        self._plays = [(step, *play) for step, play in enumerate(view.plays())]

    def logs(self, rows: Rows) -> Floats:
        """Log-probabilities, float64 [worlds, cards of the other seats]."""
        others = [step for step, seat, _ in self._plays if seat != self._view.seat]
        column = {step: number for number, step in enumerate(others)}
        logs = np.zeros((len(rows), len(others)))
        rng = np.random.default_rng(self._salt)
        asked: list[tuple[int, int, View, int]] = []
        for number, state in enumerate(self._belief.states(rows, rng)):
            for step, seat, card in reversed(self._plays):
                state.undo()
                if seat != self._view.seat and state.legal().bit_count() > 1:
                    asked.append((number, column[step], state.view(seat), card))
        self._learn({view: card for _, _, view, card in asked})
        for number, step, view, _ in asked:
            logs[number, step] = self._seen[view]
        return logs

    def _learn(self, cards: Mapping[View, int]) -> None:
        """Asks the agent how likely its cards are in views that it has not been asked about."""
        new = [view for view in cards if view not in self._seen]
        for first in range(0, len(new), BATCH):
            some = new[first : first + BATCH]
            found = chances(self._agent, some)[np.arange(len(some)), [cards[view] for view in some]]
            with np.errstate(divide="ignore"):
                self._seen.update(zip(some, np.log(found).tolist(), strict=True))
