"""The open-card solver of Skat against plain minimax, recorded values, turned seats and suits."""

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.cards import cards_of, mask_of
from skat_env.deal import Deal
from skat_env.skat import SkatState
from skat_env.skat.rules import PLACE_SIZES, Contract, Declaration
from skat_env.solvers.open_card import read_open_card_lines
from skat_env.solvers.skat import Aim, Question, Solver
from skat_env.solvers.skat.position import OpenPosition
from tests.helpers import minimax
from tests.helpers.endings import skat_ending, skat_endings


def check_line(state: SkatState, line: tuple[int, ...], value: int, aim: str) -> None:
    """Every card of a best line keeps the value, and the end of the line has it."""
    state = state.clone()
    for card in line:
        state.apply(card)
        if state.contract == Contract.NULL and state.tricks[0]:
            break
    assert state.is_over or state.contract == Contract.NULL
    assert minimax.value(state, aim) == value


def maximises(state: SkatState) -> bool:
    return (state.to_act == state.soloist) != (state.contract == Contract.NULL)


def compare(solver: Solver, state: SkatState, aim: Aim) -> None:
    expected = minimax.action_values(state, aim)
    best = (max if maximises(state) else min)(expected.values())
    solution = solver.solve(state, Question(aim, line=True))
    assert solution.exact
    assert solution.value == best, state
    assert expected[solution.best] == best
    check_line(state, solution.line, best, aim)
    solution = solver.solve(state, Question(aim, actions=True))
    assert {action: bounds.value for action, bounds in solution.actions.items()} == expected, state
    assert solution.value == best
    some = dict(list(expected.items())[::2])
    solution = solver.solve(state, Question(aim, actions=True, cards=mask_of(some)))
    assert {action: bounds.value for action, bounds in solution.actions.items()} == some, state
    assert solution.value == (max if maximises(state) else min)(some.values())
    top = 1 if state.contract == Contract.NULL else 10 if aim == "tricks" else 120
    for target in {0, max(best - 7, 0), best, min(best + 1, top), min(best + 7, top), top}:
        question = Question(aim, target, actions=True, line=True)
        solution = solver.solve(state, question)
        assert solution.reaches(target) == (best >= target), (state, target)
        assert solution.bounds.lower <= best <= solution.bounds.upper
        for action, bounds in solution.actions.items():
            assert bounds.reaches(target) == (expected[action] >= target)
            assert bounds.lower <= expected[action] <= bounds.upper
        if (best >= target) == maximises(state):
            assert (expected[solution.best] >= target) == (best >= target)


@pytest.mark.slow
@pytest.mark.parametrize("contract", list(Contract))
def test_equals_plain_minimax_on_random_endings(contract: Contract) -> None:
    rng = np.random.default_rng(contract)
    solver = Solver()
    for _ in range(700):
        state = skat_ending(rng, contract, int(rng.integers(1, 11)))
        compare(solver, state, "tricks" if rng.integers(4) == 0 else "points")


@pytest.mark.slow
@pytest.mark.parametrize("contract", list(Contract))
def test_equals_plain_minimax_on_four_tricks(contract: Contract) -> None:
    rng = np.random.default_rng(100 + contract)
    solver = Solver()
    for _ in range(25):
        state = skat_ending(rng, contract, int(rng.integers(11, 13)))
        assert solver.solve(state).value == minimax.value(state, "points")


@pytest.mark.slow
def test_equals_the_recorded_values(shared: Callable[[str], Path]) -> None:
    lines = [line for _, line in read_open_card_lines(shared("data/skat/open_card.jsonl"))]
    assert len(lines) == 450
    positions = [line.position for line in lines]
    solver = Solver()
    assert [solution.value for solution in solver.solve_many(positions)] == [line.value for line in lines]
    for target in (1, 31, 61, 90):
        for line in lines:
            asked = 1 if line.position.contract == Contract.NULL else target
            solution = solver.solve(line.position, Question(target=asked))
            assert line.value is not None
            assert solution.reaches(asked) == (line.value >= asked)
            assert solution.bounds.lower <= line.value <= solution.bounds.upper


def turned(position: OpenPosition, seats: int) -> OpenPosition:
    """Every seat's cards go to the seat that many places on."""
    hands = tuple(position.hands[(seat - seats) % 3] for seat in range(3))
    return replace(
        position,
        hands=(hands[0], hands[1], hands[2]),
        soloist=(position.soloist + seats) % 3,
        leader=(position.leader + seats) % 3,
    )


def with_suits(position: OpenPosition, order: tuple[int, ...]) -> OpenPosition:
    """Suit s becomes order[s]; the jacks stay in suit and grand games, for their order matters."""

    def new(card: int) -> int:
        jack = card & 7 == 4 and position.contract != Contract.NULL
        return card if jack else order[card >> 3] * 8 + (card & 7)

    hands = [sum(1 << new(card) for card in cards_of(hand)) for hand in position.hands]
    contract = position.contract
    return replace(
        position,
        hands=(hands[0], hands[1], hands[2]),
        table=tuple(new(card) for card in position.table),
        contract=Contract(order[contract]) if contract < Contract.GRAND else contract,
    )


def test_does_not_depend_on_seats_and_suits() -> None:
    solver = Solver()
    for number, state in enumerate(skat_endings(60, 5)):
        position = OpenPosition.of(state)
        order = list(permutations(range(4)))[number % 24]
        question = Question(actions=True)
        plain = solver.solve(position, question)
        assert solver.solve(state, question) == plain
        assert solver.solve(turned(position, 1), question) == plain
        assert solver.solve(turned(position, 2), question).value == plain.value
        other = solver.solve(with_suits(position, order), question)
        assert other.value == plain.value
        assert sorted(other.actions.values()) == sorted(plain.actions.values())


def test_a_null_game_already_lost_has_a_value() -> None:
    rng = np.random.default_rng(8)
    lost = [state for state in (skat_ending(rng, Contract.NULL, 9) for _ in range(40)) if state.tricks[0]]
    assert lost
    for state in lost:
        solution = Solver().solve(state, Question(actions=True, line=True))
        assert (solution.value, solution.exact) == (1, True)
        assert solution.best in state.legal_actions()
        assert all(bounds.value == 1 for bounds in solution.actions.values())


def test_schwarz_is_a_question_of_tricks() -> None:
    # Spades with all jacks against nothing but plain cards: ten tricks.
    spades = 0xFF << 16 | 1 << 28 | 1 << 12
    others = [card for card in range(32) if not spades >> card & 1 and card != 4]
    position = OpenPosition(
        Contract.SPADES,
        0,
        (spades, sum(1 << card for card in others[:10]), sum(1 << card for card in others[10:20])),
    )
    assert Solver().solve(position, Question("tricks", 10)).reaches(10)
    assert Solver().solve(position, Question("tricks")).value == 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"hands": (7, 56, 64)}, "same number"),
        ({"hands": (7, 14, 448)}, "twice"),
        ({"hands": (3, 12, 112), "table": (0,), "leader": 0}, "twice"),
        ({"hands": (6, 56, 448), "table": (0,), "leader": 1}, "same number"),
        ({"hands": (0x7FF, 0x7FF << 11, 0x3FF << 22)}, "same number"),
        ({"hands": (0, 0, 0)}, "no card is left"),
        ({"leader": 3}, "leader=3: expected"),
        ({"soloist": -1}, "soloist=-1: expected"),
        ({"contract": 6}, "contract=6: expected"),
        ({"table": (32,)}, "from 0 to 31"),
        ({"table": (9, 10, 11)}, "at most two cards"),
        ({"points": 121}, "121 card points"),
        ({"points": -1}, "-1 card points"),
        ({"tricks": 8}, "8 tricks of 7"),
        ({"hands": (1 << 32, 2, 4)}, "4,294,967,295"),
    ],
)
def test_impossible_positions_are_refused(arguments: dict[str, Any], message: str) -> None:
    possible = {"contract": Contract.CLUBS, "soloist": 1, "hands": (7, 56, 448)}
    OpenPosition(**possible)
    with pytest.raises(ValueError, match=message):
        OpenPosition(**{**possible, **arguments})


@pytest.mark.parametrize(
    ("contract", "question", "message"),
    [
        (Contract.HEARTS, Question(target=121), "target 121 is out of range: of card points it is 0..120"),
        (Contract.HEARTS, Question(target=-1), "target -1"),
        (Contract.HEARTS, Question("tricks", 11), "of tricks it is 0..10"),
        (Contract.NULL, Question(target=2), "target 2 is out of range: of a null game"),
    ],
)
def test_targets_out_of_range_are_refused(contract: Contract, question: Question, message: str) -> None:
    state = SkatState.cardplay(
        Deal.random(np.random.default_rng(1), PLACE_SIZES), 0, Declaration(contract), (18, 0, 0)
    )
    with pytest.raises(ValueError, match=message):
        Solver().solve(state, question)
