"""`dmc`: plays the card that networks trained by deep Monte-Carlo self-play value most."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from agents.card_values import LAYOUTS, CardValues
from agents.checkpoint import Checkpoint, load_checkpoint
from agents.skat_value_bidding import ValueBidding
from skat_env.lockstep import decide_by_part, decide_many
from skat_env.protocols import Agent, Decision
from skat_env.registry import get_game, make_agent


class Dmc:
    """Values every legal card by the network of its role and plays the best one.

    Args:
        checkpoint: the networks: a folder, or the name of ones that ship.
        bidder: the agent, or its name, for what comes before the cardplay; None: in Skat `value_bidding` with the same
            networks, in Klaverjas `search_bidding`.

    Raises:
        ValueError: if there is no such checkpoint, or it is of other networks; its subclasses for names.
    """

    def __init__(
        self, checkpoint: str | Checkpoint = "dmc", bidder: str | Agent | None = None, game: str = "skat"
    ) -> None:
        loaded = load_checkpoint(checkpoint, game) if isinstance(checkpoint, str) else checkpoint
        names = [role.name for role in LAYOUTS[game].roles]
        self.values = CardValues(game, {name: loaded.network(name) for name in names})
        if bidder is None:
            bidder = ValueBidding(loaded) if game == "skat" else "search_bidding"
        self.bidder = make_agent(bidder, game)
        self.cheats = getattr(self.bidder, "cheats", False)
        self.name = f"dmc(checkpoint={loaded.name}, bidder={self.bidder.name})"
        self._cardplay = get_game(game).stages[-1]

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        """The bidder's decision, or in the cardplay the card of the highest value."""
        return self.decide_many([view], [rng])[0]

    def decide_many(self, views: Sequence[Any], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """Decisions of many games; in the cardplay each network is asked once.

        The weights are 1 for the chosen card, the value is what it is expected to bring the own side.
        """
        playing = [view.stage == self._cardplay for view in views]
        return decide_by_part(playing, views, rngs, self._ask)

    def _ask(self, playing: bool, views: list[Any], rngs: list[np.random.Generator]) -> list[Decision]:
        if not playing:
            return decide_many(self.bidder, views, rngs)
        decisions = []
        for view, row in zip(views, self.values.values(views), strict=True):
            actions = view.legal_actions()
            chosen = max(actions, key=row.__getitem__)
            weights = np.zeros(64, np.float32)
            weights[chosen] = 1.0
            stats = {"values": {action: float(row[action]) for action in actions}}
            decisions.append(Decision(chosen, weights, float(row[chosen]), stats))
        return decisions
