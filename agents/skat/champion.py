"""`champion`: the strongest player of Skat that ships, made of other agents."""

from typing import Annotated, Final

from skat_env.options import Range, checked_options
from skat_env.protocols import Agent
from skat_env.registry import make_agent

CALLS: Final = "policy(checkpoint=skat-champion)"
"""Calls by values of the champion's own games, with the cards of `policy`."""
MODELS: Final = "skat-calls+skat-imitation+skat-xskat"
"""It takes each of the others for a player like itself, for one who searches, or for a program of rules."""
QUICK_MODELS: Final = "skat-calls+skat-imitation"
"""A third model would cost the quick one a tenth of its time."""
INFERENCE: Final = "policy(k={{}}, model={}, proposal=locations(temper=0.5), temper=0.5)"
BELIEF: Final = INFERENCE.format(MODELS)
QUICK_BELIEF: Final = INFERENCE.format(QUICK_MODELS).format(200)
CALLING: Final = (
    f"search_calls({{}}, boldness={{{{}}}}, inner={CALLS}, checkpoint=skat-champion,"
    " belief=policy(k={}, model={}))"
)
CHAMPION: Final = (
    f"hybrid(policy=iimc(worlds=160, inner={CALLS}, opponents=inferred, belief={BELIEF.format(4000)}, threshold=0,"
    " open_cards=0.5, race=2,"
    f" bidder={CALLING.format('worlds=320, candidates=16, played_out=0.7, close=25', 1000, MODELS)}),"
    f" search=pimc(worlds=160, belief={BELIEF.format(4000)}), trick=5)"
)
QUICK: Final = (
    f"hybrid(policy=iimc(worlds=20, inner={CALLS}, belief={QUICK_BELIEF},"
    f" bidder={CALLING.format('worlds=40, candidates=6', 200, QUICK_MODELS)}),"
    f" search=pimc(worlds=40, belief={QUICK_BELIEF}), trick=5)"
)
JUDGE_CARDS: Final = f"pimc(worlds=120, belief={BELIEF.format(400)}, objective=tournament_points)"


@checked_options("champion")
def champion(*, quick: bool = False, boldness: Annotated[float, Range(ge=-1000, le=1000)] = 10.0) -> Agent:
    """The strongest player that ships, made of other agents, which its name lists.

    Args:
        quick: whether a decision of full games takes 5 ms on average at most.
        boldness: the points that being the soloist is worth more at this table than among players like itself: 0 if
            the others are such players; 40 if they are as weak as `rule`, from whom it takes more games. 10 costs a
            tenth of a point among equals.
    """
    return make_agent((QUICK if quick else CHAMPION).format(boldness), "skat")


@checked_options("judge")
def judge() -> Agent:
    """Values every action by what its seat can know, for reviews.

    Calls are valued by the champion's networks, cards by the mean of their open-card values in worlds that its belief
    holds likely; in tournament points.
    """
    return make_agent(f"player(bidding={CALLS}, cardplay={JUDGE_CARDS})", "skat")
