"""The open-card solver of Skat against plain minimax, recorded values and itself."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from skat_env.cards import cards_of, parse_card
from skat_env.deal import Deal
from skat_env.skat._state import SkatState
from skat_env.skat.rules import CARD_POINTS, CONTRACT_LETTERS, PLACE_SIZES, Contract, Declaration, SkatRules
from solvers import reference
from solvers.skat import Solver
from solvers.solution import OpenPosition, Question

SHARED = Path(os.environ.get("SKAT_ENV_SHARED", Path(__file__).resolve().parents[2] / "shared"))
OPEN_CARD = SHARED / "data" / "skat" / "open_card.jsonl"


def random_ending(rng: np.random.Generator, contract: Contract, cards_left: int) -> SkatState:
    """A game played at random until some cards are left to play."""
    deal = Deal.random(rng, PLACE_SIZES)
    seat = int(rng.integers(3))
    bids = tuple(18 if seat == each else 0 for each in range(3))
    while True:
        state = SkatState.cardplay(deal, seat, Declaration(contract), bids, SkatRules(play_out=True))
        while not state.is_over and 30 - len(state.plays()) > cards_left:
            legal = state.legal_actions()
            # The soloist of a null game ducks where he can, or few endings would be undecided.
            low = contract == Contract.NULL and state.to_act == state.soloist and rng.random() < 0.8
            state.apply(legal[0] if low else legal[int(rng.integers(len(legal)))])
        if not state.is_over:
            return state


def position_of(state: SkatState) -> OpenPosition:
    skat = sum(CARD_POINTS[card & 7] for card in cards_of(state.skat))
    return OpenPosition(
        state.contract, state.soloist, state.hands, state.leader, tuple(card for _, card in state.trick()),
        state.points[0] + skat, state.tricks[0],
    )  # fmt: skip


def check_line(state: SkatState, line: tuple[int, ...], value: int, tricks: bool) -> None:
    """Every card of a best line keeps the value, and the end of the line has it."""
    state = state.clone()
    for card in line:
        state.apply(card)
        if state.contract == Contract.NULL and state.tricks[0]:
            break
    assert state.is_over or state.contract == Contract.NULL
    assert reference.value(state, tricks) == value


def maximises(state: SkatState) -> bool:
    return (state.to_act == state.soloist) != (state.contract == Contract.NULL)


def compare(solver: Solver, state: SkatState, tricks: bool) -> None:
    expected = reference.action_values(state, tricks)
    best = (max if maximises(state) else min)(expected.values())
    solution = solver.solve(state, Question(tricks=tricks, line=True))
    assert solution.exact
    assert solution.value == best, state
    assert expected[solution.best] == best
    check_line(state, solution.line, best, tricks)
    solution = solver.solve(state, Question(tricks=tricks, actions=True))
    assert {action: bounds.value for action, bounds in solution.actions.items()} == expected, state
    assert solution.value == best
    most = 1 if state.contract == Contract.NULL else 10 if tricks else 120
    for target in {0, max(best - 7, 0), best, min(best + 1, most), min(best + 7, most), most}:
        question = Question(target, tricks=tricks, actions=True, line=True)
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
        state = random_ending(rng, contract, int(rng.integers(1, 11)))
        compare(solver, state, tricks=bool(rng.integers(4) == 0))


@pytest.mark.slow
@pytest.mark.parametrize("contract", list(Contract))
def test_equals_plain_minimax_on_four_tricks(contract: Contract) -> None:
    rng = np.random.default_rng(100 + contract)
    solver = Solver()
    for _ in range(25):
        state = random_ending(rng, contract, int(rng.integers(11, 13)))
        assert solver.solve(state).value == reference.value(state)


def shared_deals() -> list[tuple[OpenPosition, int]]:
    """The recorded deals with their values."""
    if not OPEN_CARD.exists():
        pytest.skip(f"{OPEN_CARD} is not there; SKAT_ENV_SHARED can name its folder")
    deals = []
    for line in OPEN_CARD.read_text().splitlines():
        deal = json.loads(line)
        hands = [sum(1 << parse_card(card) for card in hand.split()) for hand in deal["hands"]]
        skat = sum(CARD_POINTS[parse_card(card) & 7] for card in deal["skat"].split())
        contract = Contract(CONTRACT_LETTERS.index(deal["contract"]))
        value = int(deal["soloist_takes_a_trick"] if contract == Contract.NULL else deal["soloist_points"])
        deals.append((OpenPosition(contract, deal["declarer"], tuple(hands), points=skat), value))
    return deals


@pytest.mark.slow
def test_equals_the_recorded_values() -> None:
    deals = shared_deals()
    solver = Solver()
    exact = solver.solve_many([position for position, _ in deals])
    assert [solution.value for solution in exact] == [value for _, value in deals]
    for position, value in deals:
        target = 1 if position.contract == Contract.NULL else 61
        solution = solver.solve(position, Question(target))
        assert solution.reaches(target) == (value >= target)
        assert solution.bounds.lower <= value <= solution.bounds.upper
