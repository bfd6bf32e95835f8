"""The open-card solver of Skat against plain minimax, recorded values and itself."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from skat_env.cards import card_text, cards_of, parse_card
from skat_env.deal import Deal
from skat_env.skat import SkatState
from skat_env.skat.rules import CONTRACT_LETTERS, PLACE_SIZES, Contract, Declaration, SkatRules
from solvers import reference
from solvers.commands.solve import Solve
from solvers.open_card_file import read_open_card_lines
from solvers.skat import Solver
from solvers.skat.question import OpenPosition, Question
from solvers.solution import Solution
from tests.golden import make_skat_solver_nodes


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


@pytest.mark.slow
def test_equals_the_recorded_values(shared: Callable[[str], Path]) -> None:
    lines = [line for _, line in read_open_card_lines(shared("data/skat/open_card.jsonl"))]
    assert len(lines) == 450
    positions = [line.position for line in lines]
    exact = Solver().solve_many(positions)
    assert [solution.value for solution in exact] == [line.value for line in lines]
    for target in (1, 31, 61, 90):
        for line, solution in zip(lines, solve_targets(positions, target), strict=True):
            reached = solution.reaches(min(target, 1) if line.position.contract == Contract.NULL else target)
            assert line.value is not None
            assert reached == (line.value >= (1 if line.position.contract == Contract.NULL else target))
            assert solution.bounds.lower <= line.value <= solution.bounds.upper


def solve_targets(positions: list[SkatState | OpenPosition], target: int) -> list[Solution]:
    """Decisions; null games have one target."""
    solver = Solver()
    return [
        solver.solve(position, Question(1 if position.contract == Contract.NULL else target))
        for position in positions
    ]


def test_nodes_and_values_are_the_golden_ones() -> None:
    for golden in json.loads(make_skat_solver_nodes.FILE.read_text()):
        assert make_skat_solver_nodes.answers(SkatState.parse(golden["position"])) == golden


def random_positions(count: int, seed: int, cards_left: int = 18) -> list[SkatState]:
    rng = np.random.default_rng(seed)
    return [random_ending(rng, Contract(number % 6), cards_left - number % 3) for number in range(count)]


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
    for number, state in enumerate(random_positions(60, seed=5)):
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


def test_threads_and_order_do_not_matter() -> None:
    states = random_positions(150, seed=6)
    for question in (Question(), Question(1, actions=True, line=True), Question(tricks=True)):
        alone = [Solver().solve(state, question) for state in states[:20]]
        one = Solver().solve_many(states, question)
        assert one[:20] == alone
        assert Solver().solve_many(states, question, threads=2) == one
        assert Solver().solve_many(states[::-1], question, threads=3)[::-1] == one
    assert Solver().solve_many([]) == []


def full_deal(contract: Contract, seed: int) -> SkatState:
    deal = Deal.random(np.random.default_rng(seed), PLACE_SIZES)
    return SkatState.cardplay(deal, 0, Declaration(contract), (18, 0, 0))


def test_a_limit_leaves_bounds_that_hold() -> None:
    solver = Solver()
    stopped = 0
    for seed in range(4):
        state = full_deal(Contract.GRAND, seed)
        value = solver.solve(state).value
        assert value is not None
        for limit in (1, 10, 100, 1000, 5000):
            for question in (
                Question(node_limit=limit),
                Question(61, node_limit=limit, actions=True, line=True),
            ):
                solution = solver.solve(state, question)
                assert solution.bounds.lower <= value <= solution.bounds.upper
                assert solution.nodes <= limit
                assert solution.exact or solution.best is None or len(solution.line) < 30
                if question.target is None:
                    assert solution.exact == (solution.value == value)
                    stopped += not solution.exact
        assert not solver.solve(state, Question(time_limit=1e-9, actions=True)).exact
        assert solver.solve(state, Question(time_limit=1000.0)).value == value
    assert stopped > 8


def test_a_null_game_already_lost_has_a_value() -> None:
    rng = np.random.default_rng(8)
    lost = [state for state in (random_ending(rng, Contract.NULL, 9) for _ in range(40)) if state.tricks[0]]
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
    assert Solver().solve(position, Question(10, tricks=True)).reaches(10)
    assert Solver().solve(position, Question(tricks=True)).value == 10


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"hands": (7, 56, 64)}, "same number"),
        ({"hands": (7, 14, 448)}, "twice"),
        ({"hands": (3, 12, 112), "table": (0,), "leader": 0}, "twice"),
        ({"hands": (6, 56, 448), "table": (0,), "leader": 1}, "same number"),
        ({"hands": (0x7FF, 0x7FF << 11, 0x3FF << 22)}, "same number"),
        ({"hands": (0, 0, 0)}, "no card is left"),
        ({"leader": 3}, "leader is seat 3"),
        ({"soloist": -1}, "soloist is seat -1"),
        ({"contract": 6}, "contract 6"),
        ({"table": (32,)}, r"cards 0\.\.31"),
        ({"table": (9, 10, 11)}, "at most two cards"),
        ({"points": 121}, "121 card points"),
        ({"points": -1}, "-1 card points"),
        ({"tricks": 8}, "8 tricks of 7"),
        ({"hands": (1 << 32, 2, 4)}, "32 bits"),
    ],
)
def test_impossible_positions_are_refused(arguments: dict[str, Any], message: str) -> None:
    possible = {"contract": Contract.CLUBS, "soloist": 1, "hands": (7, 56, 448)}
    OpenPosition(**possible)
    with pytest.raises(ValueError, match=message):
        OpenPosition(**{**possible, **arguments})


@pytest.mark.parametrize(
    ("question", "message"),
    [
        (Question(121), "target 121 is out of range: of card points"),
        (Question(-1), "target -1"),
        (Question(11, tricks=True), "of tricks it is"),
        (Question(node_limit=0), "node_limit 0"),
        (Question(time_limit=-1.0), "time_limit -1.0"),
    ],
)
def test_impossible_questions_are_refused(question: Question, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Solver().solve(full_deal(Contract.HEARTS, 1), question)


def test_what_is_no_cardplay_is_refused() -> None:
    deal = Deal.random(np.random.default_rng(1), PLACE_SIZES)
    with pytest.raises(ValueError, match="phase BID"):
        Solver().solve(SkatState.new(deal))
    with pytest.raises(ValueError, match="target 2 is out of range: of a null game"):
        Solver().solve(full_deal(Contract.NULL, 1), Question(2))
    with pytest.raises(ValueError, match="threads 0"):
        Solver().solve_many([], threads=0)
    with pytest.raises(TypeError, match="SkatView"):
        Solver().solve(full_deal(Contract.NULL, 1).view(0))


def line_of(state: SkatState, **fields: Any) -> dict[str, Any]:
    hands = [" ".join(card_text(card) for card in cards_of(hand)) for hand in state.dealt]
    assert state.contract is not None
    return {
        "contract": CONTRACT_LETTERS[state.contract], "declarer": state.soloist, "hands": hands[:3], "skat": hands[3],
        "played": [card_text(card) for _, card in state.plays()], **fields,
    }  # fmt: skip


def test_the_command_writes_and_checks_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    states = random_positions(12, seed=9, cards_left=9)
    path = tmp_path / "deals.jsonl"
    path.write_text(
        "".join(json.dumps(line_of(state, id=number)) + "\n" for number, state in enumerate(states))
    )
    assert Solve(path, question="actions").run() == 0
    rows = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    for number, (row, state) in enumerate(zip(rows, states, strict=True)):
        assert row["id"] == number
        null = state.contract == Contract.NULL
        assert row["soloist_takes_a_trick" if null else "soloist_points"] == reference.value(state)
        expected = reference.action_values(state)
        assert {parse_card(card): value for card, value in row["actions"].items()} == expected
    solved = tmp_path / "solved.jsonl"
    solved.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for question in ("exact", "decision", "actions"):
        assert Solve(solved, question=question, check=True, threads=2).run() == 0
    rows[0]["soloist_points"] += 1
    solved.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert Solve(solved, check=True).run() == 1
    assert "position 1: soloist_points is" in capsys.readouterr().err
    card = next(iter(rows[1]["actions"]))
    rows[1]["actions"][card] += 1
    solved.write_text(json.dumps(rows[1]) + "\n")
    assert Solve(solved, question="actions", check=True).run() == 1
    assert Solve(deal=json.dumps(rows[1])).run() == 0
    assert "best play" in capsys.readouterr().out
    assert Solve(deal=states[2].text()).run() == 0


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"contract": "X"}, "contract 'X'"),
        ({"declarer": 3}, "declarer 3"),
        ({"skat": "D7"}, "skat has 1 cards"),
        ({"hands": ["D7", "D8"]}, "three texts"),
        ({"played": "D7 D7"}, "played"),
        ({"soloist_points": "61"}, "soloist_points"),
        ({"actions": [1]}, "actions"),
    ],
)
def test_malformed_lines_are_refused(fields: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    path.write_text(json.dumps({**line_of(full_deal(Contract.SPADES, 3)), **fields}) + "\n")
    with pytest.raises(ValueError, match=f"{path}:1: .*{message}"):
        list(read_open_card_lines(path))
