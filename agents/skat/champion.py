"""`champion`: the strongest player of Skat that ships, made of other agents."""

from typing import Final

from skat_env.options import checked_options
from skat_env.protocols import Agent
from skat_env.registry import make_agent

POLICY: Final = "policy(checkpoint=skat-champion)"
"""Its calls are by values of the champion's own games, its cards those of `policy`."""
BELIEF: Final = "policy(k={}, model=skat-policy+skat-imitation, proposal=locations(temper=0.5), temper=0.5)"
CHAMPION: Final = (
    f"hybrid(policy=iimc(worlds=160, inner={POLICY}, belief={BELIEF.format(4000)},"
    " threshold=0, open_cards=0.5, race=2),"
    f" search=pimc(worlds=160, belief={BELIEF.format(4000)}), trick=5)"
)
QUICK: Final = (
    f"hybrid(policy=iimc(worlds=20, inner={POLICY}, belief={BELIEF.format(200)}),"
    f" search=pimc(worlds=40, belief={BELIEF.format(200)}), trick=5)"
)
JUDGE_CARDS: Final = f"pimc(worlds=120, belief={BELIEF.format(400)}, objective=tournament_points)"


@checked_options("champion")
def champion(*, quick: bool = False) -> Agent:
    """The strongest player that ships, made of other agents, which its name lists.

    Args:
        quick: whether a decision of full games takes 5 ms on average at most.
    """
    return make_agent(QUICK if quick else CHAMPION, "skat")


@checked_options("judge")
def judge() -> Agent:
    """Values every action by what its seat can know, for reviews.

    Calls are valued by the champion's networks, cards by the mean of their open-card values in worlds that its belief
    holds likely; in tournament points.
    """
    return make_agent(f"player(bidding={POLICY}, cardplay={JUDGE_CARDS})", "skat")
