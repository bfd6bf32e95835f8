"""A policy for the cardplay of any game with the part `card_networks`: networks choose cards, without search."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from skat_env.agents.compose.composite import Delegating
from skat_env.agents.networks._card_lanes import CardLanes
from skat_env.agents.networks.card_networks import CARDS, OUTPUTS, card_networks
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.choice import choose, legal_cards, masked
from skat_env.errors import UnknownName
from skat_env.options import checked_options
from skat_env.own_text import own_text
from skat_env.play._lanes import LanePlayer
from skat_env.play.capabilities import Abilities, decide, decide_by_part, decide_many, require_views
from skat_env.play.lanes import asked_alone
from skat_env.protocols import Agent, Decision, State, View
from skat_env.registry import get_game, make_agent

CARDPLAY: Final = ("argmax", "sample")
BIDDER: Final = "the bidder"
FORCED: Final = "no choice"
"""Names for the parts of the agent that are not networks."""


class CardPolicy(Delegating):
    """Plays cards by policy-value networks alone.

    Args:
        checkpoint: the networks, by name or path; None: `GAME-policy`.
        cardplay: `argmax` plays the most probable card, `sample` draws one.
        int8: whether networks multiply bytes after their first layer: faster, and about one card in 200 is another.
        bidder: the agent for everything before the cardplay, or its name.

    Raises:
        UnknownName: if there is no such checkpoint, cardplay or bidder.
        ParseError: if the checkpoint is damaged or of another version.
    """

    @checked_options("policy")
    def __init__(
        self,
        checkpoint: str | None = None,
        *,
        cardplay: str = "argmax",
        int8: bool = False,
        bidder: str | Agent = "rule",
        game: str,
    ) -> None:
        if cardplay not in CARDPLAY:
            raise UnknownName("cardplay of policy", cardplay, CARDPLAY)
        self._game, self._layout = get_game(game), card_networks(game)
        self._cardplay = self._game.stages[-1]
        self._checkpoint = load_checkpoint(f"{game}-policy" if checkpoint is None else checkpoint, game)
        self._checkpoint.require_any(dict.fromkeys(self._layout.names, OUTPUTS))
        if int8:
            self._checkpoint = self._checkpoint.in_int8()
        self._samples = cardplay == "sample"
        self.bidder = make_agent(bidder, game)
        self.delegate_to(self.bidder, own=Abilities(batched=True, draws=self._samples))
        shipped = checkpoint == f"{game}-policy"
        self.name = own_text(self, "policy", checkpoint=None if shipped else checkpoint, bidder=self.bidder)

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        """A legal action; the weights are probabilities, the value is the expected score difference of the own side."""
        return self.decide_many([view], [rng])[0]

    def decide_knowing(self, view: View, state: State, rng: np.random.Generator) -> Decision:
        """The decision with a bidder that cheats, which gets the true state; the networks do not."""
        return (
            self.decide(view, rng) if view.stage == self._cardplay else decide(self.bidder, view, state, rng)
        )

    def decide_many(self, views: Sequence[View], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The decisions for many views, with one forward pass for each network."""
        require_views(self._game, views)
        return decide_by_part([self._part_of(view) for view in views], views, rngs, self._ask)

    def _part_of(self, view: View) -> str:
        """The part that decides: the bidder, a network, or none where there is a single legal card."""
        if view.stage != self._cardplay:
            return BIDDER
        return self._layout.name_of(view, view.side(view.seat)) if view.legal().bit_count() > 1 else FORCED

    def in_lanes(self) -> LanePlayer | None:
        """The policy as it plays in lanes; None if its networks or its bidder do not allow it."""
        networks = self._checkpoint.networks
        plain = all(name in networks and not networks[name].spec.branch for name in self._layout.names)
        if not plain or not asked_alone(self.bidder):
            return None
        return CardLanes(self._layout.game, networks, self._samples)

    def _ask(self, part: str, views: list[View], rngs: list[np.random.Generator]) -> list[Decision]:
        if part == BIDDER:
            return decide_many(self.bidder, views, rngs)
        if part == FORCED:
            return [Decision(view.legal_actions()[0]) for view in views]
        network = self._checkpoint.network(part)
        outputs = network(network.encoder.encode(views))
        logits = np.take_along_axis(outputs[:, :CARDS], network.encoder.labels(views), axis=1)
        weights = np.zeros((len(views), 64), np.float32)
        weights[:, :CARDS] = chances = masked(logits, legal_cards(views))
        chosen = choose(chances, rngs if self._samples else None)
        values = outputs[:, CARDS] * network.spec.scale
        return [
            Decision(card, row, value)
            for card, row, value in zip(chosen.tolist(), weights, values.tolist(), strict=True)
        ]
