"""`champion`: the strongest player of Klaverjas that ships, made of other agents."""

from typing import Final

from skat_env.options import checked_options
from skat_env.protocols import Agent
from skat_env.registry import make_agent

INNER: Final = "policy(int8=true)"
"""The player of worlds that are played out."""
MODELS: Final = "klaverjas-policy+klaverjas-imitation"


def inference(k: int) -> str:
    """The name of the belief that weighs `k` worlds by what the models would have done; its prior is what the choice of
    trumps tells.
    """
    return (
        f"policy(k={k}, model={MODELS}, proposal=locations(temper=0.5),"
        " prior=locations(features=BDI, temper=0.5), temper=0.7, floor=0.02)"
    )


QUICK: Final = (
    f"iimc(worlds=20, inner={INNER}, belief=locations, threshold=0,"
    f" bidder=search_bidding(worlds=20, inner={INNER}))"
)
JUDGE: Final = (
    f"player(bidding=search_bidding(worlds=40, inner={INNER}),"
    f" cardplay=pimc(worlds=120, belief={inference(400)}, objective=difference))"
)


def whole(k: int = 2000, worlds: int = 320) -> str:
    """The name of the champion that tries cards in `worlds` of `k` worlds that its belief weighs."""
    return (
        f"iimc(worlds={worlds}, inner={INNER}, opponents=inferred, belief={inference(k)}, threshold=0, race=1.5,"
        f" bidder=search_bidding(worlds=100, inner={INNER}))"
    )


@checked_options("champion")
def champion(*, quick: bool = False) -> Agent:
    """The strongest player that ships, made of other agents, which its name lists.

    Args:
        quick: whether a decision of full games takes 5 ms on average at most.
    """
    return make_agent(QUICK if quick else whole(), "klaverjas")


@checked_options("judge")
def judge() -> Agent:
    """Values every action by what its seat can know, for reviews.

    Trumps are valued by rollouts, cards by the mean of their open-card values in worlds that its belief holds
    likely, in points.
    """
    return make_agent(JUDGE, "klaverjas")
