"""Worlds followed with kept tables answer what the solvers answer."""

from typing import Any

import numpy as np
import pytest

from skat_env.skat import SkatState
from skat_env.skat.rules import Contract
from skat_env.solvers.klaverjas import Question as KlaverjasQuestion
from skat_env.solvers.klaverjas import Solver as KlaverjasSolver
from skat_env.solvers.skat import Question, Solver
from tests.helpers.endings import klaverjas_endings, skat_endings
from tests.helpers.minimax import leaf

SKAT = [Question(), Question("tricks")]
KLAVERJAS = [
    KlaverjasQuestion("made"),
    KlaverjasQuestion("difference"),
    KlaverjasQuestion("final_difference"),
]


def answer(solver: Any, state: Any, question: Any) -> int:
    found = leaf(state, question.aim)(state) if state.is_over else solver.solve(state, question).value
    assert found is not None
    return int(found)


@pytest.mark.parametrize(
    ("solver", "states", "questions"),
    [
        (Solver(), skat_endings(12, 3, 18), SKAT),
        (KlaverjasSolver(), klaverjas_endings(16, 3, 20), KLAVERJAS),
    ],
    ids=["skat", "klaverjas"],
)
def test_they_answer_as_the_solver_wherever_the_game_goes(
    solver: Any, states: list[Any], questions: list[Any]
) -> None:
    rng = np.random.default_rng(1)
    worlds = solver.followed()
    over = 0
    for question in questions:
        for count in (1, len(states)):
            some = states[:count]
            worlds.begin(some, [question] * count)
            for number, state in enumerate(some):
                for _ in range(6):
                    later, actions = state.clone(), []
                    for _ in range(int(rng.integers(21))):
                        if not later.is_over:
                            actions.append(int(rng.choice(later.legal_actions())))
                            later.apply(actions[-1])
                    over += later.is_over
                    value = answer(solver, later, question)
                    for target in (value - 7, value, value + 1, value + 9):
                        # Null games know one question: a trick, or none.
                        if isinstance(state, SkatState) and state.contract == Contract.NULL:
                            target = 1
                        assert worlds.reached(number, target, actions) == (value >= target)
    assert over


def test_bad_values() -> None:
    state = skat_endings(1, 3)[0]
    worlds = Solver().followed()
    with pytest.raises(ValueError, match="at least one"):
        worlds.begin([], [])
    with pytest.raises(ValueError, match="1 positions and 2 questions"):
        worlds.begin([state], [Question(), Question()])
    with pytest.raises(TypeError, match="takes a Question"):
        worlds.begin([state], [KlaverjasQuestion()])
    worlds.begin([state], [Question()])
    with pytest.raises(ValueError, match="world 1 is not one of 1"):
        worlds.reached(1, 61)
    with pytest.raises(ValueError, match="is not legal"):
        worlds.reached(0, 61, [63])
