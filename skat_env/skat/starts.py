"""Where games of Skat begin: at fresh deals, or after a given auction."""

from dataclasses import dataclass, field
from typing import Annotated

import numpy as np

from skat_env.deal import Deal
from skat_env.errors import OptionError
from skat_env.options import Range, check_fields, shown
from skat_env.skat._state import SkatState
from skat_env.skat.rules import BID_LEVEL, BID_VALUES, NUM_SEATS, PLACE_SIZES, SkatRules


def fresh_heads(rules: SkatRules) -> tuple[str, ...]:
    """The heads of the positions in which a fresh deal begins: one."""
    return ("play_out=1" if rules.play_out else "",)


@dataclass(frozen=True)
class FixedAuction:
    """Random deals after the auction: the soloist is to pick up the skat or play hand.

    Raises:
        OptionError: if there is no such seat or bid.
    """

    declarer: Annotated[int, Range(ge=0, le=NUM_SEATS - 1)] | None = None
    """The soloist's seat; None: drawn at random."""
    bid: int = 18
    """The bid that won the auction; nobody else is known to have bid."""
    rules: SkatRules = field(default_factory=SkatRules)

    def __post_init__(self) -> None:
        check_fields(self, "a fixed auction")
        if self.bid not in BID_LEVEL:
            values = ", ".join(map(str, BID_VALUES))
            raise OptionError(f"a fixed auction with bid={shown(self.bid)}: expected one of {values}")

    def __call__(self, rng: np.random.Generator) -> SkatState:
        """A fresh deal after the auction."""
        declarer = int(rng.integers(NUM_SEATS)) if self.declarer is None else self.declarer
        bids = [0] * NUM_SEATS
        bids[declarer] = self.bid
        deal = Deal.random(rng, PLACE_SIZES)
        return SkatState.after_auction(deal, declarer, (bids[0], bids[1], bids[2]), self.rules)
