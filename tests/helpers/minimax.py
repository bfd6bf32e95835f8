"""Open-card values of both games by plain minimax, to hold the fast solvers against."""

from collections.abc import Callable
from functools import partial
from typing import Any

from skat_env.klaverjas import KlaverjasState
from skat_env.skat import SkatState
from skat_env.skat.rules import CARD_POINTS, Contract
from skat_env.solvers import brute_force


def value(state: Any, aim: str) -> int:
    """What the declaring side has in the end, counted as an aim of the game's solver says."""
    return brute_force.value(state, leaf(state, aim), wants_more(state))


def action_values(state: Any, aim: str) -> dict[int, int]:
    """The same after each legal action."""
    return brute_force.action_values(state, leaf(state, aim), wants_more(state))


def wants_more(state: Any) -> bool:
    """Whether the declaring side maximises: not in null games, where a trick counts 1."""
    return isinstance(state, KlaverjasState) or state.contract != Contract.NULL


def leaf(state: Any, aim: str) -> Callable[[Any], int | None]:
    """The value of positions that are decided."""
    return partial(skat_leaf if isinstance(state, SkatState) else klaverjas_leaf, aim=aim)


def skat_leaf(state: SkatState, aim: str) -> int | None:
    over = state.is_over
    if state.contract == Contract.NULL and (over or state.tricks[0]):
        return int(state.tricks[0] > 0)
    if not over:
        return None
    skat = sum(CARD_POINTS[card & 7] for card in range(32) if state.skat >> card & 1)
    return state.tricks[0] if aim == "tricks" else state.points[0] + skat


def klaverjas_leaf(state: KlaverjasState, aim: str) -> int | None:
    if not state.is_over:
        return None
    result, team = state.result(), state.declarer & 1
    if aim == "made":
        return int(result.made)
    totals = result.scores
    if aim == "difference":
        totals = (result.card_points[0] + result.roem[0], result.card_points[1] + result.roem[1])
    return totals[team] - totals[1 - team]
