"""`champion`: the strongest player of Skat that ships, made of other agents."""

from typing import Final

from skat_env.options import checked_options
from skat_env.protocols import Agent
from skat_env.registry import make_agent

SOLOIST: Final = "iimc(worlds=160, inner=policy, belief=policy)"
DEFENDER: Final = "pimc(worlds=160, belief=policy, bidder=policy)"
CHAMPION: Final = f"hybrid(policy={SOLOIST}, search={DEFENDER}, trick=10, role=soloist)"
"""`policy` bids. Open cards are the better guide for defenders, who are two that must find each other's plan; real play
for the soloist, who would plan with cards that he cannot see."""
QUICK: Final = "iimc(worlds=20, inner=policy, belief=locations)"
"""At most 5 ms a decision."""


@checked_options("champion")
def champion(*, quick: bool = False) -> Agent:
    """The champion; its name says of what it is made.

    Args:
        quick: whether it is the strongest player without search.
    """
    return make_agent(QUICK if quick else CHAMPION, "skat")
