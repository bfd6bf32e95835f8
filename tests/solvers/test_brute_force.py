"""The solver of games without one of their own: a game of four numbers, and endings of Skat and Klaverjas."""

from typing import Any

import numpy as np
import pytest

from skat_env.klaverjas import KlaverjasRules, KlaverjasState
from skat_env.skat import SkatState
from skat_env.solvers import brute_force
from tests.helpers import minimax
from tests.helpers.endings import klaverjas_endings, skat_endings


class Numbers:
    """Two players take turns to name one of two ways through a tree; its leaves are the first player's points."""

    def __init__(self, *leaves: int) -> None:
        self.leaves, self.path = leaves, []

    @property
    def is_over(self) -> bool:
        return 1 << len(self.path) == len(self.leaves)

    @property
    def to_act(self) -> int:
        return -1 if self.is_over else len(self.path) % 2

    def side(self, seat: int) -> int:
        return seat

    def legal_actions(self) -> list[int]:
        return [] if self.is_over else [0, 1]

    def apply(self, action: int) -> None:
        self.path.append(action)

    def undo(self) -> None:
        self.path.pop()

    def returns(self, unit: str | None = None) -> tuple[int, int]:
        points = self.leaves[int("".join(map(str, self.path)), 2)]
        return {None: (points, 0), "both": (points, -points)}[unit]


def test_a_tree_of_four_leaves() -> None:
    game: Any = Numbers(3, 7, 9, 1)
    assert brute_force.action_returns(game) == {0: 3, 1: 1}
    assert brute_force.action_returns(game, "both") == {0: 6, 1: 2}
    game.apply(1)
    assert brute_force.action_returns(game) == {0: -9, 1: -1}
    assert game.path == [1]
    game.apply(0)
    with pytest.raises(ValueError, match="a seat is to act"):
        brute_force.action_returns(game)


def test_the_declaring_side_may_want_less() -> None:
    def leaf(game: Numbers) -> int | None:
        return game.returns()[0] if game.is_over else None

    game: Any = Numbers(3, 7, 9, 1)
    assert brute_force.action_values(game, leaf) == {0: 3, 1: 1}
    assert brute_force.value(game, leaf) == 3
    assert brute_force.action_values(game, leaf, declarers_want_more=False) == {0: 7, 1: 9}
    assert brute_force.value(game, leaf, declarers_want_more=False) == 7


def best_difference(state: SkatState, unit: str) -> int:
    """The soloist's returns less the defenders', by copies of the state."""
    if state.is_over:
        returns = state.returns(unit)
        return 2 * returns[state.soloist] - sum(returns)
    reached = []
    for action in state.legal_actions():
        after = state.clone()
        after.apply(action)
        reached.append(best_difference(after, unit))
    return max(reached) if state.to_act == state.soloist else min(reached)


@pytest.mark.parametrize("unit", ["tournament_points", "win"])
def test_endings_of_skat(unit: str) -> None:
    for state in skat_endings(30, 1, 7):
        before = state.clone()
        returns = brute_force.action_returns(state, unit)
        assert state == before
        assert list(returns) == state.legal_actions()
        own = state.to_act == state.soloist
        assert max(returns.values()) == best_difference(state, unit) * (1 if own else -1)


def test_endings_of_klaverjas() -> None:
    for state in klaverjas_endings(32, 2, 8):
        sign = 1 if state.side(state.to_act) == 0 else -1
        expected = minimax.action_values(state, "final_difference")
        returns = brute_force.action_returns(state, "score")
        # Both seats of a team have its score.
        assert returns == {card: 2 * sign * value for card, value in expected.items()}


def test_a_game_without_declarer_is_refused() -> None:
    state = KlaverjasState.random(np.random.default_rng(1), KlaverjasRules(choice="free"))
    with pytest.raises(ValueError, match="both sides are known"):
        brute_force.action_returns(state)
