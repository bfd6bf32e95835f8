"""Maximum bids as training targets, from players who passed (Rebstock 2019, section 3.1).

A player who passes has reached its maximum: as a bidder its last bid, as an answerer the last bid that it held; 0 if
none. The winner's maximum remains unknown. First middlehand bids against forehand (Bid/Answer in the paper), then
rearhand against the winner (Continue/Answer); if nobody has bid, forehand decides alone.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skat_env.datasets.decisions import Decisions
from skat_env.skat.rules import PASS, REARHAND, YES, Phase


@dataclass(frozen=True, slots=True)
class MaxBids:
    """The maximum bids of all players who passed, in the order of the games."""

    game: NDArray[np.int64]
    """int64 [n]: the index of the game."""
    step: NDArray[np.uint8]
    """uint8 [n]: the step of the player's first decision in the part of the auction in which it passed."""
    level: NDArray[np.int64]
    """int64 [n]: the label, 0 .. 63; level 1 is 18 (`rules.BID_LEVEL`)."""


def max_bids(decisions: Decisions, games: ArrayLike | None = None) -> tuple[MaxBids, MaxBids]:
    """The rows of the first part of the auction and of the second.

    The encoders `skat.bid_answer` and `skat.continue_answer` read them.

    Args:
        decisions: decisions of Skat games.
        games: bool [games], the games to use; None: all.
    """
    found = decisions.find(None, games)
    found = found[found["phase"] <= Phase.ANSWER]
    game, seat, action = found["game"], found["seat"], found["action"]
    passes = action == PASS
    raised = (action == YES) & (found["phase"] == Phase.BID)
    second = _before(game, passes & (seat != REARHAND)) > 0
    level = _before(game, raised)
    # The first decision of each player in each part of the auction; a pass is always its last one.
    _, first, part = np.unique((game * 3 + seat) * 2 + second, return_index=True, return_inverse=True)
    begin = first[part]
    last_bid = np.where(begin == np.arange(len(found)), 0, level)
    label = np.where(found["phase"] == Phase.ANSWER, level - 1, last_bid)

    def rows(chosen: NDArray[np.bool_]) -> MaxBids:
        return MaxBids(game[chosen], found["step"][begin[chosen]], label[chosen])

    return rows(passes & ~second), rows(passes & second)


def _before(game: NDArray[np.int64], happened: NDArray[np.bool_]) -> NDArray[np.int64]:
    """int64 [n]: how often something happened in the game before each decision; decisions are sorted by game."""
    count: NDArray[np.int64] = np.cumsum(happened) - happened
    return count - count[np.searchsorted(game, game)]
