"""A policy for the cardplay of Klaverjas: a network's first choice, without any search."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from agents.networks.card_networks import CARDS
from agents.networks.checkpoint import load_checkpoint
from agents.networks.choice import choose, legal_cards
from agents.networks.leaf import LeafNetwork
from agents.networks.network import masked
from skat_env.errors import UnknownName
from skat_env.play.capabilities import decide_by_part, decide_many
from skat_env.protocols import Agent, Decision
from skat_env.registry import make_agent

CARDPLAY: Final = ("argmax", "sample")


class KlaverjasPolicy:
    """Plays cards by a policy-value network alone.

    Args:
        checkpoint: its name or path.
        cardplay: `argmax` plays the most probable card, `sample` draws one.
        bidder: the agent, or its name, that chooses trumps.

    Raises:
        UnknownName: if there is no such checkpoint, cardplay or bidder.
        ParseError: if the checkpoint is damaged or of another version.
    """

    cheats = False

    def __init__(
        self, checkpoint: str = "klaverjas-policy", cardplay: str = "argmax", bidder: str | Agent = "rule"
    ) -> None:
        if cardplay not in CARDPLAY:
            raise UnknownName("cardplay of policy", cardplay, CARDPLAY)
        self._network = LeafNetwork(load_checkpoint(checkpoint, "klaverjas").network("cardplay"))
        self._samples = cardplay == "sample"
        self.bidder = make_agent(bidder, "klaverjas")
        words = [f"checkpoint={checkpoint}"] * (checkpoint != "klaverjas-policy")
        words += [f"cardplay={cardplay}"] * self._samples
        words += [f"bidder={self.bidder.name}"] * (self.bidder.name != "rule")
        self.name = f"policy({', '.join(words)})" if words else "policy"

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        """One of the legal actions; its weights are the probabilities, its value the team's expected difference."""
        return self.decide_many([view], [rng])[0]

    def decide_many(self, views: Sequence[Any], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The same for many views, the network asked once."""
        return decide_by_part([_part_of(view) for view in views], views, rngs, self._ask)

    def _ask(self, part: str, views: list[Any], rngs: list[np.random.Generator]) -> list[Decision]:
        if part == "bid":
            return decide_many(self.bidder, views, rngs)
        if part == "forced":
            return [Decision(view.legal_actions()[0]) for view in views]
        encoder = self._network.encoder
        outputs = self._network(encoder.encode(views))
        logits = np.take_along_axis(outputs[:, :CARDS], encoder.labels(views), axis=1)
        weights = np.zeros((len(views), 64), np.float32)
        weights[:, :CARDS] = chances = masked(logits, legal_cards(views))
        chosen = choose(chances, rngs if self._samples else None)
        values = outputs[:, CARDS] * self._network.scale
        return [
            Decision(card, row, value)
            for card, row, value in zip(chosen.tolist(), weights, values.tolist(), strict=True)
        ]


def _part_of(view: Any) -> str:
    """Who decides: the bidder, nobody, or the network."""
    if view.stage != "cardplay":
        return "bid"
    return "cards" if view.legal().bit_count() > 1 else "forced"
