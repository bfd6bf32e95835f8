"""`champion`: the strongest player of Skat that ships, made of other agents."""

from typing import Annotated, Final

from skat_env.options import Range, checked_options
from skat_env.protocols import Agent
from skat_env.registry import make_agent

CALLS: Final = "policy(checkpoint=skat-champion)"
"""Calls by values of the champion's own games, with the cards of `policy`."""
INNER: Final = "policy(checkpoint=skat-champion, int8=true)"
"""The same player, as it plays worlds out."""
CALLERS: Final = "skat-calls+skat-imitation+skat-xskat"
"""Where only calls are known it takes each of the others for a player like itself, for one who searches, or for a
program of rules."""
MODELS: Final = "skat-calls+skat-hybrid+skat-pimc+skat-xskat"
"""Where cards are, too: for `policy`, for itself, for `pimc`, or for a program of rules."""
PLAYERS: Final = "skat-policy+skat-policy+skat-policy+skat-xskat"
"""Who plays worlds out in their places: imitations of searches tell best what these do, but play weaker."""
QUICK_CALLERS: Final = "skat-calls+skat-imitation"
QUICK_MODELS: Final = "skat-calls+skat-pimc"
"""Two more would cost the quick one half of its time."""

WEIGHED: Final = 2000
"""The worlds that its belief about cards weighs."""
DRAWN: Final = 320
"""The worlds drawn from these, in which it tries cards."""
NEAR: Final = 2
"""The standard errors that a card may be behind the best by open cards for worlds played out to choose it: where a game
is won or lost against players who see all cards, it is not against those who do not.
"""
QUICK_NEAR: Final = 1
"""In fewer worlds errors are larger."""


def inference(k: int, models: str = MODELS) -> str:
    """The name of the belief that weighs `k` worlds by what the models would have done in them."""
    players = f", players={PLAYERS}" if models == MODELS else ""
    return f"policy(k={k}, model={models}{players}, proposal=locations(temper=0.5), temper=0.6)"


def whole(k: int = WEIGHED, worlds: int = DRAWN, boldness: float = 10.0) -> str:
    """The name of the champion that tries cards in `worlds` of `k` worlds that its belief weighs."""
    calls = (
        f"search_calls(worlds=320, candidates=16, played_out=0.7, close=25, boldness={boldness}, inner={INNER},"
        f" checkpoint=skat-champion, belief=policy(k=1000, model={CALLERS}))"
    )
    cards = (
        f"iimc(worlds={worlds}, inner={INNER}, opponents=inferred, caution=0.5, threshold=0, open_cards=0.5,"
        f" race=1.5, bidder={calls}, belief={inference(k)})"
    )
    search = f"pimc(worlds={worlds}, belief={inference(k)}, second=rollouts, near={NEAR})"
    return f"hybrid(policy={cards}, search={search}, trick=5)"


def _quick(boldness: float) -> str:
    calls = (
        f"search_calls(worlds=40, candidates=6, boldness={boldness}, inner={INNER}, checkpoint=skat-champion,"
        f" belief=policy(k=200, model={QUICK_CALLERS}))"
    )
    belief = inference(200, QUICK_MODELS)
    cards = f"iimc(worlds=20, inner={INNER}, belief={belief}, bidder={calls})"
    search = f"pimc(worlds=40, belief={belief}, second=rollouts, near={QUICK_NEAR})"
    return f"hybrid(policy={cards}, search={search}, trick=5)"


@checked_options("champion")
def champion(*, quick: bool = False, boldness: Annotated[float, Range(ge=-1000, le=1000)] = 10.0) -> Agent:
    """The strongest player that ships, made of other agents, which its name lists.

    Args:
        quick: whether a decision takes 5 ms on average at most, without AVX-512 up to 9.
        boldness: the points that being the soloist is worth more at this table than among players like itself: 0 if
            the others are such players; 40 if they are as weak as `rule`, from whom it takes more games. 10 costs a
            tenth of a point among equals.
    """
    return make_agent(_quick(boldness) if quick else whole(boldness=boldness), "skat")


@checked_options("judge")
def judge() -> Agent:
    """Values every action by what its seat can know, for reviews.

    Calls are valued by the champion's networks, cards by the mean of their open-card values in worlds that its belief
    holds likely; in tournament points.
    """
    cards = f"pimc(worlds=120, belief={inference(400)}, objective=tournament_points)"
    return make_agent(f"player(bidding={CALLS}, cardplay={cards})", "skat")
