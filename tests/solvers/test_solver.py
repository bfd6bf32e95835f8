"""The open-card solvers of both games: golden nodes, threads, limits, and what they refuse."""

import json
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from skat_env.cards import mask_of
from skat_env.klaverjas import KlaverjasRules, KlaverjasState
from skat_env.registry import make_belief
from skat_env.skat import SkatState
from skat_env.solvers import klaverjas, skat
from skat_env.solvers.skat.paranoia import ParanoiaSolver
from tests.helpers.endings import klaverjas_ending
from tests.helpers.solver_cases import Case, both_games, skat_deals


@both_games
def test_nodes_and_values_are_the_golden_ones(case: Case) -> None:
    for golden in json.loads(case.golden.FILE.read_text()):
        assert case.golden.answers(case.state.parse(golden["position"])) == golden


@both_games
def test_threads_and_order_do_not_matter(case: Case) -> None:
    states = case.endings(60, 6)
    for question in case.questions:
        alone = [case.package.Solver().solve(state, question) for state in states[:10]]
        one = case.package.Solver().solve_many(states, question)
        assert one[:10] == alone
        assert case.package.Solver().solve_many(states, question, threads=2) == one
        assert case.package.Solver().solve_many(states[::-1], question, threads=3)[::-1] == one
    assert case.package.Solver().solve_many([]) == []


@both_games
def test_values_of_actions_are_those_of_the_solutions(case: Case) -> None:
    solver, game = case.package.Solver(), case.package.__name__.rpartition(".")[2]
    [state] = case.endings(1, 6)
    worlds = make_belief("uniform", game).worlds(state.view(state.to_act), 40, np.random.default_rng(1))
    states, actions = [world.state for world in worlds], state.legal_actions()
    for question in case.questions:
        solutions = solver.solve_many(
            states, replace(question, actions=True, cards=mask_of(actions), line=False)
        )
        values = [[solution.actions[action].lower for action in actions] for solution in solutions]
        for threads in (1, 2):
            found = solver.action_values(states, actions, question, threads)
            assert found.tolist() == values
    assert solver.action_values([], actions).shape == (0, len(actions))
    assert solver.action_values(states, []).shape == (len(states), 0)
    with pytest.raises(ValueError, match="is not legal in position 0"):
        solver.action_values(states, [*actions, state.plays()[0][1]])


@both_games
def test_nothing_is_known_of_cards_that_are_not_legal(case: Case) -> None:
    solver = case.package.Solver()
    for state in case.endings(6, 6):
        for question in case.exact:
            for cards in (0, mask_of(range(32)) & ~state.legal()):
                none = solver.solve(state, replace(question, actions=True, cards=cards))
                exact = solver.solve(state, question)
                assert not none.exact
                assert not none.actions
                assert none.bounds.lower <= exact.value <= none.bounds.upper


@both_games
def test_a_limit_leaves_bounds_that_hold(case: Case) -> None:
    solver, stopped = case.package.Solver(), 0
    for state in case.deals():
        for exact in case.exact:
            value = solver.solve(state, exact).value
            assert value is not None
            for limit in (1, 10, 100, 1000, 5000):
                for more in (False, True):
                    question = replace(exact, actions=more, line=more, node_limit=limit)
                    solution = solver.solve(state, question)
                    assert solution.bounds.lower <= value <= solution.bounds.upper
                    assert solution.nodes <= limit
                    assert solution.exact or len(solution.line) < case.cards
                    stopped += not solution.exact
            assert not solver.solve(state, replace(exact, actions=True, time_limit=1e-9)).exact
            assert solver.solve(state, replace(exact, time_limit=1000.0)).value == value
    assert stopped > 20


def test_a_limited_decision_leaves_bounds_that_hold() -> None:
    solver, stopped = skat.Solver(), 0
    for state in skat_deals():
        value = solver.solve(state).value
        assert value is not None
        for limit in (1, 10, 100, 1000, 5000):
            question = skat.Question(target=61, node_limit=limit, actions=True, line=True)
            solution = solver.solve(state, question)
            assert solution.bounds.lower <= value <= solution.bounds.upper
            assert solution.nodes <= limit
            assert solution.exact or solution.best is None or len(solution.line) < 30
            stopped += not solution.exact
    assert stopped


def test_positions_out_of_the_cardplay_are_refused() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match="phase BID"):
        skat.Solver().solve(SkatState.random(rng))
    with pytest.raises(ValueError, match="phase CHOOSE"):
        klaverjas.Solver().solve(KlaverjasState.random(rng, KlaverjasRules(choice="free")))
    with pytest.raises(ValueError, match="phase OVER"):
        klaverjas.Solver().solve(klaverjas_ending(rng, KlaverjasRules(), 0))


@both_games
def test_what_is_no_question_or_position_is_refused(case: Case) -> None:
    solver, (state, *_) = case.package.Solver(), case.deals()
    with pytest.raises(ValueError, match=r"threads 0 is not in 1\.\.64"):
        solver.solve_many([], threads=0)
    with pytest.raises(TypeError, match=type(state.view(0)).__name__):
        solver.solve(state.view(0))
    name = case.exact[0].aim
    with pytest.raises(ValueError, match=f"did you mean '{name}'"):
        case.package.Question(name[:-1])
    with pytest.raises(ValueError, match="node_limit=0: expected"):
        case.package.Question(node_limit=0)
    with pytest.raises(ValueError, match="no line of best play: expected all cards"):
        case.package.Question(line=True, cards=1)
    with pytest.raises(ValueError, match=r"time_limit=-1\.0: expected"):
        case.package.Question(time_limit=-1.0)


@pytest.mark.parametrize("solver", [skat.Solver, klaverjas.Solver, ParanoiaSolver])
def test_a_copy_begins_with_tables_of_its_own(solver: Any) -> None:
    """Agents that hold one play elsewhere, too."""
    copy = pickle.loads(pickle.dumps(solver()))
    assert type(copy) is solver
