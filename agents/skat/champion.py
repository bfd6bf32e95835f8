"""`champion`: the strongest player of Skat that ships, made of other agents."""

from typing import Final

from skat_env.options import checked_options
from skat_env.protocols import Agent
from skat_env.registry import make_agent

CHAMPION: Final = (
    "player(bidding=policy, cardplay=hybrid(policy=policy, search=pimc(worlds=80, belief=policy), trick=2))"
)
QUICK: Final = "policy"
"""At most 5 ms a decision."""


@checked_options("champion")
def champion(*, quick: bool = False) -> Agent:
    """The champion; its name says of what it is made.

    Args:
        quick: whether it is the strongest player without search.
    """
    return make_agent(QUICK if quick else CHAMPION, "skat")
