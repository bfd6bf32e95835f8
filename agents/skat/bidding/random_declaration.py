"""Random declarations in Skat: soloist, contract and discards are drawn, promising ones more often.

Self-play starts some games with them, so that networks learn the value of unusual games and discards.
"""

import numpy as np

from skat_env.agents.skat.game_values import GAMES, NULL_OUVERT
from skat_env.agents.skat.rule.bidding import RULE_BIDDER
from skat_env.cards import ALL_CARDS_MASK, cards_of, mask_of
from skat_env.deal import Deal
from skat_env.skat import Declaration, SkatState
from skat_env.skat.rules import BID_VALUES, FOREHAND, Announcement, Contract, SkatRules

HAND_GAMES = 0.15
"""The share of hand games."""
ANNOUNCED = 0.2
"""The share of suit and grand hand games with an announcement."""
TEMPERATURE = 60.0
"""The mean temperature, in tournament points, of the softmax over the fitted table's expectations that draws a game."""
NEXT_BID = 0.6
"""The probability that the auction goes on after a bid."""


def random_declaration(rng: np.random.Generator, rules: SkatRules | None = None) -> SkatState:
    """The start of the cardplay with random hands, soloist, bid and game."""
    soloist = int(rng.integers(3))
    order = rng.permutation(cards_of(ALL_CARDS_MASK)).tolist()
    twelve = mask_of(order[:12])
    is_hand = bool(rng.random() < HAND_GAMES)
    weighed = RULE_BIDDER.weigh_discards(twelve, 0, soloist == FOREHAND)
    odds = weighed.points(BID_VALUES[0]) / rng.exponential(TEMPERATURE)
    odds = np.exp(odds - odds.max())
    row, column = divmod(int(rng.choice(odds.size, p=(odds / odds.sum()).ravel())), odds.shape[1])
    assert row < len(GAMES)
    skat = mask_of(order[10:12]) if is_hand else int(weighed.skats[column])
    places = [0, 0, 0, skat]
    places[soloist] = twelve & ~skat
    places[(soloist + 1) % 3], places[(soloist + 2) % 3] = mask_of(order[12:22]), mask_of(order[22:])
    announcement = Announcement.NONE
    if row == NULL_OUVERT:
        announcement = Announcement.OUVERT
    elif is_hand and row < Contract.NULL and rng.random() < ANNOUNCED:
        announcement = Announcement(int(rng.integers(1, 4)))
    bids = [0, 0, 0]
    bids[soloist] = BID_VALUES[min(int(rng.geometric(1 - NEXT_BID)), len(BID_VALUES)) - 1]
    return SkatState.cardplay(
        Deal((places[0], places[1], places[2], places[3])),
        soloist,
        Declaration(Contract(min(row, int(Contract.NULL))), is_hand, announcement),
        (bids[0], bids[1], bids[2]),
        rules or SkatRules(),
    )
