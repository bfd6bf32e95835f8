"""Past decisions in Klaverjas: the cards of the other seats. The choice of trumps is not modelled."""

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.beliefs.past_decisions import Deals, PastDecision, played_by, single_bits
from skat_env.agents.klaverjas.layouts import CARD_NETWORKS
from skat_env.agents.networks.card_networks import CARDS
from skat_env.beliefs.belief import Rows
from skat_env.klaverjas import KlaverjasView


class KlaverjasPastDecisions:
    """The cards of the other three seats; each world is a single state."""

    model = "klaverjas-policy+klaverjas-imitation"
    networks: Mapping[str, int] = dict.fromkeys(CARD_NETWORKS.names, CARDS)

    def decisions(self, view: KlaverjasView, full: bool) -> list[PastDecision]:
        """The plays of the other seats."""
        plays = view.plays()
        first = len(view.history()) - len(plays)
        return [
            PastDecision(first + i, seat, CARD_NETWORKS.name_of(view, view.side(seat)), 1 << card, True)
            for i, (seat, card) in enumerate(plays)
            if seat != view.seat
        ]

    def states(self, view: KlaverjasView) -> int:
        """1, as no cards are laid away."""
        return 1

    def deals(self, view: KlaverjasView, rows: Rows, numbers: NDArray[np.int64]) -> Deals:
        """The hands as dealt."""
        dealt = rows | played_by(view, 4)
        dealt[:, view.seat] = view.dealt[view.seat]
        return Deals(dealt, np.zeros(len(rows), np.uint32))

    def keys(self, view: KlaverjasView, seat: int, deals: Deals) -> NDArray[np.uint64]:
        """A seat's hand as dealt."""
        return deals.dealt[:, seat].astype(np.uint64)

    def needs(self, network: str, outputs: int) -> NDArray[np.uint64]:
        """One bit for each of the 32 cards; the last output, a value, is never legal."""
        return single_bits(outputs)


PAST_DECISIONS: Final = KlaverjasPastDecisions()
