"""Plain minimax with open cards for any game: no table, no bounds, no order of actions.

It is the oracle that the fast solvers are tested against, and the solver of games that are small or have no other.
"""

from collections.abc import Callable
from typing import TypeVar

from skat_env.protocols import State

S = TypeVar("S", bound=State)


def value(state: S, leaf: Callable[[S], int | None], declarers_want_more: bool = True) -> int:
    """What perfect play of both sides comes to, counted by `leaf`; the state is the same afterwards.

    Args:
        state: a position in which both sides are known.
        leaf: the value of a position that is decided, as every finished game is; None: play goes on.
        declarers_want_more: whether the declaring side maximises the value; if not, it minimises it.
    """
    decided = leaf(state)
    if decided is not None:
        return decided
    best = max if (state.side(state.to_act) == 0) == declarers_want_more else min
    return best(action_values(state, leaf, declarers_want_more).values())


def action_values(
    state: S, leaf: Callable[[S], int | None], declarers_want_more: bool = True
) -> dict[int, int]:
    """The `value` after each legal action; the state is the same afterwards."""
    values = {}
    for action in state.legal_actions():
        state.apply(action)
        values[action] = value(state, leaf, declarers_want_more)
        state.undo()
    return values


def action_returns(state: State, unit: str | None = None) -> dict[int, int]:
    """What each legal action brings the side to act in a reward unit: its returns less the other side's.

    Both sides play best, to maximise this difference; the returns of a side's seats are added up.

    Raises:
        ValueError: if there is no declarer yet, or the game is over.
    """
    if state.is_over or state.side(state.to_act) < 0:
        raise ValueError("brute force needs a game in which both sides are known and a seat is to act")

    def difference(end: State) -> int | None:
        if not end.is_over:
            return None
        return sum(
            points if end.side(seat) == 0 else -points for seat, points in enumerate(end.returns(unit))
        )

    sign = 1 if state.side(state.to_act) == 0 else -1
    return {action: sign * found for action, found in action_values(state, difference).items()}
