"""Matches that end when their intervals are narrow: after how many deals the intervals are looked at.

The first look is after `FIRST_LOOK` deals. Its intervals say how many deals the wanted width takes (Stein 1945), and
the next look is there. If they are still too wide, which their spread then says better, another follows (Chow and
Robbins 1965, in batches). The looks depend on the games alone, and a match that ends with one of them is the match of
as many deals.

A look asks for the width only, never for who is ahead. So stopping does not favour anybody: of normally distributed
differences the mean and the spread are independent. What can happen is that a match ends with a spread that is small by
chance, and this needs a first look after enough deals: docs/matches.md has the coverage.
"""

import math
from typing import Final

from skat_env.match.play import DEALS_IN_LANES, MatchConfig
from skat_env.match.result import MatchResult

FIRST_LOOK: Final = 4 * DEALS_IN_LANES
"""The deals before the first look, of each kind of game. Fewer would often end a match of rare, large differences too
early."""


def first_look(config: MatchConfig) -> int:
    """The number of deals after which a match is looked at first; its last deal, if it has no more."""
    return min(config.deals, FIRST_LOOK * len(config.kinds or (None,)))


def half_width(result: MatchResult) -> float:
    """Half the width of the widest interval of a whole difference between two agents."""
    return max((each.difference.high - each.difference.low) / 2 for each in result.comparisons)


def next_look(config: MatchConfig, deals: int, now: float, until: float) -> int | None:
    """The number of deals after which a match is looked at next; None: it ends here.

    Looks are at whole blocks of deals, in which all kinds of game are equally frequent, or at the last deal.

    Args:
        config: the match, with the most deals that it may have.
        deals: the number of deals so far.
        now: the half-width that they leave.
        until: the wanted half-width.
    """
    if now <= until or deals >= config.deals:
        return None
    block = DEALS_IN_LANES * len(config.kinds or (None,))
    # No ratio above the number of deals is squared: it may be larger than any float.
    blocks = math.ceil(min(deals * min(now / until, config.deals) ** 2, config.deals) / block)
    return min(config.deals, max(blocks * block, deals + block))
