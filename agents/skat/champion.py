"""`champion`: the strongest player of Skat that ships, made of other agents."""

from typing import Final

from skat_env.errors import UnknownName
from skat_env.options import checked_options
from skat_env.protocols import Agent
from skat_env.registry import make_agent

CALLS: Final = {
    "equal": ("policy(checkpoint=skat-champion)", "skat-champion", 25, 0),
    "weaker": ("policy", "skat-policy", 0, 20),
}
"""Who bids, the values of declared games, which bids are played out, and the boldness, by opponents: values of the
champion's own games; values of `policy`'s games, and what these miss against `rule`, as do worlds that are played out
by `policy`. Its cards are those of `policy`."""
MODELS: Final = "skat-calls+skat-imitation+skat-xskat"
"""It takes each of the others for a player like itself, for one who searches, or for a program of rules."""
QUICK_MODELS: Final = "skat-calls+skat-imitation"
"""A third model would cost the quick one a tenth of its time."""
INFERENCE: Final = "policy(k={{}}, model={}, proposal=locations(temper=0.5), temper=0.5)"
BELIEF: Final = INFERENCE.format(MODELS)
QUICK_BELIEF: Final = INFERENCE.format(QUICK_MODELS).format(200)
CALLING: Final = (
    "search_calls({}, boldness={{boldness}}, inner={{calls}}, checkpoint={{values}},"
    " belief=policy(k={}, model={}))"
)
CHAMPION: Final = (
    f"hybrid(policy=iimc(worlds=160, inner={{calls}}, opponents=inferred, belief={BELIEF.format(4000)}, threshold=0,"
    " open_cards=0.5, race=2,"
    f" bidder={CALLING.format('worlds=320, candidates=16, played_out=0.7, close={close}', 1000, MODELS)}),"
    f" search=pimc(worlds=160, belief={BELIEF.format(4000)}), trick=5)"
)
QUICK: Final = (
    f"hybrid(policy=iimc(worlds=20, inner={{calls}}, belief={QUICK_BELIEF},"
    f" bidder={CALLING.format('worlds=40, candidates=6', 200, QUICK_MODELS)}),"
    f" search=pimc(worlds=40, belief={QUICK_BELIEF}), trick=5)"
)
JUDGE_CARDS: Final = f"pimc(worlds=120, belief={BELIEF.format(400)}, objective=tournament_points)"


@checked_options("champion")
def champion(*, quick: bool = False, opponents: str = "equal") -> Agent:
    """The strongest player that ships, made of other agents, which its name lists.

    Args:
        quick: whether a decision of full games takes 5 ms on average at most.
        opponents: whom it reckons with when it bids: `equal`, players like itself; `weaker`, such as `rule`, from whom
            it takes more games.

    Raises:
        UnknownName: if there are no such opponents.
    """
    if opponents not in CALLS:
        raise UnknownName("opponents of champion", opponents, CALLS)
    calls, values, close, boldness = CALLS[opponents]
    made_of = (QUICK if quick else CHAMPION).format(
        calls=calls, values=values, close=close, boldness=boldness
    )
    return make_agent(made_of, "skat")


@checked_options("judge")
def judge() -> Agent:
    """Values every action by what its seat can know, for reviews.

    Calls are valued by the champion's networks, cards by the mean of their open-card values in worlds that its belief
    holds likely; in tournament points.
    """
    return make_agent(f"player(bidding={CALLS['equal'][0]}, cardplay={JUDGE_CARDS})", "skat")
