"""The objectives of Skat against plain minimax of the rules' own result."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from skat_env.agents.search.objectives import make_objective
from skat_env.skat import SkatState
from skat_env.solvers import brute_force
from tests.helpers.endings import skat_choice
from tests.helpers.worth import declarer_worth

DECLARATIONS = ("C", "D", "GH", "G", "N", "NO", "HHS", "SHZ", "GO")


def best_outcomes(state: SkatState, measure: Callable[[SkatState], float]) -> list[float]:
    """A measure of the finished game after each legal action, the soloist's to maximise."""
    values: dict[int, Any] = brute_force.action_values(
        state, lambda end: measure(end) if end.is_over else None
    )
    return [values[action] for action in state.legal_actions()]


def values_for_the_soloist(name: str, state: SkatState, values: str = "values") -> list[float]:
    """What an objective says of each legal action."""
    found = getattr(make_objective(name, "skat", 1), values)([state], state.legal_actions())[0]
    return (found if state.to_act == state.soloist else -found).tolist()


def won(end: SkatState) -> float:
    return float(end.result().won)


@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_winning_is_what_the_rules_say(declaration: str) -> None:
    """In games that are won, lost, and decided by the card, whatever is bid."""
    rng = np.random.default_rng(DECLARATIONS.index(declaration))
    seen = {(0.0,): 0, (1.0,): 0, (0.0, 1.0): 0}
    while min(seen.values()) < 2:
        state = skat_choice(rng, declaration, 9, bid=(18, 36, 48, 72, 96, 120)[sum(seen.values()) % 6])
        expected = best_outcomes(state, won)
        assert values_for_the_soloist("win", state) == expected
        seen[tuple(sorted(set(expected)))] += 1


@pytest.mark.parametrize("declaration", ["C", "G", "N", "HH"])
def test_tournament_points_are_what_the_rules_say(declaration: str) -> None:
    """But for schwarz, which the objective leaves out: endings in which both sides have a trick."""
    rng = np.random.default_rng(10 + DECLARATIONS.index(declaration) if declaration in DECLARATIONS else 3)
    checked = 0
    while checked < 25:
        state = skat_choice(rng, declaration, 9)
        if declaration != "N" and 0 in state.tricks:
            continue
        assert values_for_the_soloist("tournament_points", state) == best_outcomes(state, declarer_worth)
        checked += 1


def test_points_and_ties() -> None:
    rng = np.random.default_rng(5)
    for name, values in (("points", "values"), ("win", "tie_values")):
        for _ in range(10):
            state = skat_choice(rng, "G", 9)
            expected = best_outcomes(state, lambda end: end.result().card_points)
            assert values_for_the_soloist(name, state, values) == expected
