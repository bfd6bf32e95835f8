"""The open-card solver of Klaverjas against plain minimax, recorded values, turned seats and suits."""

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from skat_env.cards import cards_of, mask_of
from skat_env.deal import Deal
from skat_env.klaverjas import KlaverjasRules, KlaverjasState
from skat_env.solvers.klaverjas import Aim, Question, Solver
from skat_env.solvers.open_card import read_open_card_lines
from tests.helpers import minimax
from tests.helpers.endings import KLAVERJAS_RULES as RULES
from tests.helpers.endings import klaverjas_ending, klaverjas_endings

AIMS: tuple[Aim, ...] = get_args(Aim)


def one_sided_ending(rng: np.random.Generator, rules: KlaverjasRules, cards_left: int) -> KlaverjasState:
    """An ending in which one team has all tricks so far."""
    while True:
        state = klaverjas_ending(rng, rules, cards_left)
        if 0 in state.tricks:
            return state


def compare(solver: Solver, state: KlaverjasState, aim: Aim) -> None:
    expected = minimax.action_values(state, aim)
    best = (max if state.side(state.to_act) == 0 else min)(expected.values())
    solution = solver.solve(state, Question(aim))
    assert solution.exact
    assert solution.value == best, (aim, state)
    solution = solver.solve(state, Question(aim, actions=True, line=True))
    assert solution.exact
    assert {action: bounds.value for action, bounds in solution.actions.items()} == expected, (aim, state)
    assert solution.value == best
    some = dict(list(expected.items())[::2])
    asked = solver.solve(state, Question(aim, actions=True, cards=mask_of(some)))
    assert {action: bounds.value for action, bounds in asked.actions.items()} == some, (aim, state)
    assert solution.best is not None
    assert expected[solution.best] == best
    end = state.clone()
    for card in solution.line:
        end.apply(card)
    assert end.is_over
    assert minimax.klaverjas_leaf(end, aim) == best, (aim, state, solution.line)


@pytest.mark.parametrize("rules", RULES, ids=KlaverjasRules.text)
def test_equals_plain_minimax(rules: KlaverjasRules) -> None:
    rng = np.random.default_rng(RULES.index(rules))
    solver = Solver()
    for number in range(40):
        state = klaverjas_ending(rng, rules, 1 + number % 10)
        for aim in AIMS:
            compare(solver, state, aim)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=KlaverjasRules.text)
def test_equals_plain_minimax_on_three_tricks(rules: KlaverjasRules) -> None:
    rng = np.random.default_rng(100 + RULES.index(rules))
    solver = Solver()
    for number in range(240):
        state = klaverjas_ending(rng, rules, 1 + number % 12)
        for aim in AIMS:
            compare(solver, state, aim)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=KlaverjasRules.text)
def test_equals_plain_minimax_on_four_tricks(rules: KlaverjasRules) -> None:
    rng = np.random.default_rng(200 + RULES.index(rules))
    solver = Solver()
    for number in range(8):
        state = klaverjas_ending(rng, rules, 13 + number % 4)
        for aim in AIMS:
            assert solver.solve(state, Question(aim)).value == minimax.value(state, aim)


@pytest.mark.parametrize("rules", RULES, ids=KlaverjasRules.text)
def test_all_tricks(rules: KlaverjasRules) -> None:
    """Endings in which the bonus for all tricks can still be had."""
    rng = np.random.default_rng(300 + RULES.index(rules))
    solver = Solver()
    bonus = 0
    for number in range(8):
        state = one_sided_ending(rng, rules, 8 + number % 3)
        compare(solver, state, "final_difference")
        plain = solver.solve(state, Question("difference")).value
        bonus += solver.solve(state, Question("final_difference")).value != plain
    assert bonus


@pytest.mark.parametrize("name", ["difference", "final_difference"])
def test_equals_the_recorded_values_from_the_second_trick(shared: Callable[[str], Path], name: str) -> None:
    key = f"{name}_declarers"
    lines = [line for _, line in read_open_card_lines(shared("data/klaverjas/open_card.jsonl"))]
    lines = [line for line in lines if key in line.values and line.position.tricks_played]
    assert len(lines) == 200
    solutions = Solver().solve_many([line.position for line in lines], Question(name))
    assert [solution.value for solution in solutions] == [line.values[key] for line in lines]


@pytest.mark.slow
def test_equals_the_recorded_values(shared: Callable[[str], Path]) -> None:
    lines = [line for _, line in read_open_card_lines(shared("data/klaverjas/open_card.jsonl"))]
    assert len(lines) == 260
    positions = [line.position for line in lines]
    differences = Solver().solve_many(positions, Question("difference"))
    assert [solution.value for solution in differences] == [line.value for line in lines]
    made = Solver().solve_many(positions, Question("made"))
    for line, solution in zip(lines, made, strict=True):
        assert line.value is not None
        assert solution.value == (line.value > 0)


def moved(state: KlaverjasState, seats: int, suits: tuple[int, ...]) -> KlaverjasState:
    """The same deal with every seat some places on, and suit s as suits[s]."""

    def new(card: int) -> int:
        return suits[card >> 3] * 8 + (card & 7)

    dealt = [sum(1 << new(card) for card in cards_of(state.dealt[(seat - seats) % 4])) for seat in range(4)]
    assert state.trump is not None
    other = KlaverjasState.new(
        Deal(tuple(dealt)),
        state.rules,
        (state.forehand + seats) % 4,
        (state.declarer + seats) % 4,
        suits[state.trump],
    )
    for _, card in state.plays():
        other.apply(new(card))
    return other


def test_does_not_depend_on_seats_and_suits() -> None:
    solver = Solver()
    for number, state in enumerate(klaverjas_endings(60, 5)):
        question = Question(AIMS[number % 3], actions=True)
        plain = solver.solve(state, question)
        other = moved(state, number % 4, [(0, 1, 2, 3), (1, 2, 3, 0), (3, 1, 0, 2)][number % 3])
        solution = solver.solve(other, question)
        assert solution.value == plain.value
        assert sorted(solution.actions.values()) == sorted(plain.actions.values())


def declared_by(state: KlaverjasState, declarer: int) -> KlaverjasState:
    """The same cards and plays with another declarer."""
    other = KlaverjasState.new(state.deal, state.rules, state.forehand, declarer, state.trump)
    for _, card in state.plays():
        other.apply(card)
    return other


def test_the_difference_is_that_of_the_other_team_turned() -> None:
    solver, question = Solver(), Question("difference", actions=True)
    for state in klaverjas_endings(40, 7):
        assert state.declarer is not None
        ours, partners, theirs = (
            solver.solve(declared_by(state, (state.declarer + seats) % 4), question) for seats in (0, 2, 1)
        )
        assert ours.actions == partners.actions
        assert {card: -bounds.lower for card, bounds in theirs.actions.items()} == {
            card: bounds.lower for card, bounds in ours.actions.items()
        }


def test_a_deal_in_which_all_roem_is_possible() -> None:
    """Every sequence and every four of a kind lies in four hands: the widest bounds that there are."""
    hands = [sum(1 << card for card in range(32) if (card // 8 + card) % 4 == seat) for seat in range(4)]
    solver = Solver()
    for rules in RULES[::5]:
        start = KlaverjasState.new(Deal(tuple(hands)), rules, 0, 0, 3)
        difference = solver.solve(start, Question("difference")).value
        assert difference is not None
        made = solver.solve(start, Question("made")).value
        assert made == (difference >= (0 if rules.tie == "made" else 1))
        final = solver.solve(start, Question("final_difference", line=True))
        end = start.clone()
        for card in final.line:
            end.apply(card)
        assert minimax.klaverjas_leaf(end, "final_difference") == final.value
        rng = np.random.default_rng(3)
        for _ in range(5):
            state = start.clone()
            for _ in range(22):
                legal = state.legal_actions()
                state.apply(legal[int(rng.integers(len(legal)))])
            for aim in AIMS:
                compare(solver, state, aim)
