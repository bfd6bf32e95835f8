"""`dmc`: plays the card with the highest value by networks trained with deep Monte-Carlo self-play."""

from collections.abc import Sequence

import numpy as np

from skat_env.agents.compose.composite import Composite
from skat_env.agents.networks.card_values import CardValues, value_layout
from skat_env.agents.networks.checkpoint import Checkpoint, load_checkpoint
from skat_env.call_text import call_text
from skat_env.options import checked_options
from skat_env.protocols import Agent, Decision, View
from skat_env.registry import get_game, make_agent


class Dmc(Composite):
    """Values every legal card with the network of its role and plays the best one.

    Args:
        checkpoint: the networks: a folder made by `skat-env train dmc`.
        bidder: the agent for everything before the cardplay, or its name; None: `value_bidding` with the same networks
            in Skat, `search_bidding` in Klaverjas.

    Raises:
        ValueError: if there is no such checkpoint, or it has other networks; its subclasses for unknown names.
    """

    @checked_options("dmc")
    def __init__(self, checkpoint: str | Checkpoint, *, bidder: str | Agent | None = None, game: str) -> None:
        loaded = load_checkpoint(checkpoint, game) if isinstance(checkpoint, str) else checkpoint
        layout = value_layout(game)
        names = [role.name for role in layout.roles]
        self._cards = HighestValue(CardValues(game, {name: loaded.network(name) for name in names}))
        self._bidder = make_agent(layout.bidder(loaded) if bidder is None else bidder, game)
        self._cardplay = get_game(game).stages[-1]
        name = call_text("dmc", {"checkpoint": loaded.name, "bidder": self._bidder.name})
        super().__init__(name, (self._cards, self._bidder))

    def part(self, view: View) -> Agent:
        """The networks in the cardplay, before it the bidder."""
        return self._cards if view.stage == self._cardplay else self._bidder


class HighestValue:
    """Plays the legal card with the highest value, with weight 1; the value is what it brings its side."""

    name = "highest value"

    def __init__(self, values: CardValues) -> None:
        self._values = values

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        """The best card."""
        return self.decide_many([view], [rng])[0]

    def decide_many(self, views: Sequence[View], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The best card of each view, with one forward pass for each network."""
        decisions = []
        for view, row in zip(views, self._values.values(views), strict=True):
            actions = view.legal_actions()
            chosen = max(actions, key=row.__getitem__)
            weights = np.zeros(64, np.float32)
            weights[chosen] = 1.0
            stats = {"values": {action: float(row[action]) for action in actions}}
            decisions.append(Decision(chosen, weights, float(row[chosen]), stats))
        return decisions
