"""A policy for the cardplay of Klaverjas: a network's first choice, without any search."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from agents.card_networks import CARDS, outputs_of_cards
from agents.checkpoint import load_checkpoint
from agents.leaf_network import LeafNetwork
from skat_env.errors import UnknownName
from skat_env.lockstep import decide_many
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
        decisions: dict[int, Decision] = {}
        bids, cards = [], []
        for i, view in enumerate(views):
            if view.stage != "cardplay":
                bids.append(i)
            elif len(actions := view.legal_actions()) == 1:
                decisions[i] = Decision(actions[0])
            else:
                cards.append(i)
        if bids:
            asked = decide_many(self.bidder, [views[i] for i in bids], [rngs[i] for i in bids])
            decisions.update(zip(bids, asked, strict=True))
        if cards:
            outputs = self._network(self._network.encoder.encode([views[i] for i in cards]))
            for i, row in zip(cards, outputs, strict=True):
                decisions[i] = self._decision(views[i], row, rngs[i])
        return [decisions[i] for i in range(len(views))]

    def _decision(self, view: Any, row: np.ndarray[Any, Any], rng: np.random.Generator) -> Decision:
        actions = view.legal_actions()
        logits = row[:CARDS][outputs_of_cards(view, "klaverjas")[actions]].astype(np.float64)
        chances = np.exp(logits - logits.max())
        chances /= chances.sum()
        weights = np.zeros(64, np.float32)
        weights[actions] = chances
        chosen = rng.choice(len(actions), p=chances) if self._samples else int(chances.argmax())
        return Decision(actions[chosen], weights, float(row[CARDS]) * self._network.scale)
