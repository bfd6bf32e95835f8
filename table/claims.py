"""Whether a player may claim the rest of a deal."""

from typing import Any, Final

import numpy as np

from skat_env.beliefs.belief import Belief
from skat_env.protocols import Game, View
from skat_env.registry import get_part, has_part

WORLDS: Final = 100
"""The most deals on which a claim is tried: all that fit the view, or as many as this at random."""


def claim_holds(game: Game, view: View, claim: bool) -> bool:
    """Whether the rest of a deal comes to no less than a claim says, when all play their best with open cards.

    It is tried on the deals that fit the player's view, not on the true one, so that an answer tells nothing of the
    hidden cards. Where more than `WORLDS` fit, on that many of them, drawn by the view alone. With open cards a player
    knows in each what is hidden at the table: where the game has the part `sure_claim`, and it finds out whether
    the claim holds against all of them with the same cards played, that decides.

    Args:
        game: the game, which needs the part `review`.
        view: the view of the player, who is to act in the cardplay.
        claim: whether the remaining tricks go to the declaring side.

    Raises:
        ValueError: if the game has no open-card solver.
    """
    if not has_part(game.name, "review"):
        raise ValueError(f"claims cannot be checked in {game.name}: it has no open-card solver")
    review = get_part(game.name, "review")
    solver = review.solver()
    rng = np.random.default_rng(view.key())
    belief = Belief(view)
    if has_part(game.name, "sure_claim"):
        known = get_part(game.name, "sure_claim")(view, claim)
        if known is not None:
            return bool(known)
    return all(
        _comes_to(game, review, solver, belief.state(row, rng), view.seat, claim)
        for row in belief.sample_distinct(WORLDS, rng)
    )


def _comes_to(game: Game, review: Any, solver: Any, state: Any, seat: int, claim: bool) -> bool:
    """Whether best play of all, cards open, gives a seat no less than a claim."""
    claimed = _value(game, state, seat, claim)
    while not state.is_over:
        (outlook,) = review.outlooks(solver, [state], 1)
        declarers_max = review.scale(state).declarers_want_more == (state.side(state.to_act) == 0)
        best = max if declarers_max else min
        state.apply(best(outlook.actions, key=lambda card: outlook.actions[card].value))
    return _value(game, state, seat) >= claimed


def _value(game: Game, state: Any, seat: int, claim: bool | None = None) -> int:
    """What a deal is worth to a seat: the points of its side less those of the other."""
    points = state.returns(game.match_unit, claim)
    other = next(each for each in range(len(points)) if state.side(each) != state.side(seat))
    return int(points[seat] - points[other])
