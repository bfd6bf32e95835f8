"""The objectives of Klaverjas against plain minimax of the rules' own result."""

import numpy as np
import pytest

from skat_env.agents.search.objectives import make_objective
from tests.helpers import minimax
from tests.helpers.endings import klaverjas_choice


@pytest.mark.parametrize(
    ("name", "tied"), [("made", "difference"), ("difference", None), ("final_difference", None)]
)
def test_objectives_are_what_the_rules_say(name: str, tied: str | None) -> None:
    rng = np.random.default_rng(1)
    objective = make_objective(name, "klaverjas", 1)
    checked = decided = 0
    while checked < 30 or decided < 5:
        state = klaverjas_choice(rng, 10)
        actions = state.legal_actions()
        sign = 1 if state.side(state.to_act) == 0 else -1
        expected = minimax.action_values(state, name)
        checked += 1
        decided += len(set(expected.values())) > 1
        assert (sign * objective.values([state], actions)[0]).tolist() == [expected[each] for each in actions]
        expected = minimax.action_values(state, tied) if tied else dict.fromkeys(actions, 0)
        found = sign * objective.tie_values([state], actions)[0]
        assert found.tolist() == [expected[each] for each in actions]
