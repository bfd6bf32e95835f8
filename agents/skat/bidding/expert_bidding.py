"""Bidding, declaring and discarding by winning probabilities (Edelkamp 2020, section 3)."""

from pathlib import Path
from typing import Final

import numpy as np

from skat_env.agents.skat.counted.winning_tables import WinningTables
from skat_env.agents.skat.rule.bidding import ChanceBidder
from skat_env.options import checked_options
from skat_env.own_text import own_text
from skat_env.play.capabilities import require_views
from skat_env.protocols import Decision
from skat_env.skat import GAME, SkatView
from skat_env.skat.rules import Phase

CHECKPOINT: Final = "skat-winning"


class ExpertBidding:
    """Bids, picks up, declares and discards by tables of winning probabilities; plays no cards.

    Before the skat is seen, a game is worth the best of the 66 discards, on average over the 231 skats. If the bid no
    longer fits the best game, another game is declared (the paper's dynamic bidding).

    Args:
        checkpoint: the tables, by name or path.
        threshold: bids as long as the best game is expected to score more tournament points than this.

    Raises:
        ValueError: if an option is out of range; its subclasses for checkpoints that cannot be used.
    """

    @checked_options("expert_bidding")
    def __init__(self, checkpoint: str | Path = CHECKPOINT, *, threshold: float = 8.0) -> None:
        self._bidder = ChanceBidder(WinningTables.load(checkpoint), threshold)
        self.name = own_text(self, "expert_bidding")

    def decide(self, view: SkatView, rng: np.random.Generator) -> Decision:
        """A legal action; `rng` is not used.

        Raises:
            ValueError: in the cardplay, or if the view is of another game or its seat is not to act.
        """
        require_views(GAME, [view])
        if view.phase == Phase.PLAY:
            raise ValueError(
                "expert_bidding plays no cards: give it to player(bidding=expert_bidding, cardplay=...)"
            )
        return Decision(self._bidder.decide(view))
