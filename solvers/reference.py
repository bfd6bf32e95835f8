"""Plain minimax over states: no table, no bounds, no tricks. The oracle that the fast solvers are tested against."""

from skat_env.klaverjas import KlaverjasState
from skat_env.klaverjas.rules import Phase as KlaverjasPhase
from skat_env.skat._state import SkatState
from skat_env.skat.rules import CARD_POINTS, Contract, Phase
from solvers.klaverjas.question import Aim


def value(state: SkatState, tricks: bool = False) -> int:
    """What the soloist of a game in cardplay has in the end if all see all cards and play best.

    Card points with the skat's, or tricks; null games: 1 if he takes a trick, else 0.
    """
    if state.contract == Contract.NULL and state.tricks[0]:
        return 1
    if state.phase == Phase.OVER:
        skat_points = sum(CARD_POINTS[card & 7] for card in range(32) if state.skat >> card & 1)
        return state.tricks[0] if tricks or state.contract == Contract.NULL else state.points[0] + skat_points
    # In a null game the soloist wants the smaller number: no trick.
    maximises = (state.to_act == state.soloist) != (state.contract == Contract.NULL)
    best = max if maximises else min
    return best(action_values(state, tricks).values())


def action_values(state: SkatState, tricks: bool = False) -> dict[int, int]:
    """The value after each legal action; the state is the same afterwards."""
    values = {}
    for action in state.legal_actions():
        state.apply(action)
        values[action] = value(state, tricks)
        state.undo()
    return values


def klaverjas_value(state: KlaverjasState, aim: Aim) -> int:
    """What the declaring team of a deal in cardplay has in the end if all see all cards and play best."""
    if state.phase == KlaverjasPhase.OVER:
        return klaverjas_outcome(state, aim)
    best = max if state.side(state.to_act) == 0 else min
    return best(klaverjas_action_values(state, aim).values())


def klaverjas_action_values(state: KlaverjasState, aim: Aim) -> dict[int, int]:
    """The value after each legal action; the state is the same afterwards."""
    values = {}
    for action in state.legal_actions():
        state.apply(action)
        values[action] = klaverjas_value(state, aim)
        state.undo()
    return values


def klaverjas_outcome(state: KlaverjasState, aim: Aim) -> int:
    """What a finished deal is worth to the declaring team."""
    result = state.result()
    team = state.declarer & 1
    if aim == "made":
        return int(result.made)
    totals = result.scores
    if aim == "difference":
        totals = (result.card_points[0] + result.roem[0], result.card_points[1] + result.roem[1])
    return totals[team] - totals[1 - team]
