"""The open-card solver of Klaverjas against plain minimax, recorded values and itself; the command on its lines."""

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

from skat_env.cards import SUITS, card_text, cards_of, parse_card
from skat_env.deal import Deal
from skat_env.klaverjas import KlaverjasRules, KlaverjasState
from solvers import reference
from solvers.commands.solve import Solve
from solvers.klaverjas import Solver
from solvers.klaverjas.question import Aim, KlaverjasQuestion
from solvers.open_card_file import parse_position, read_open_card_lines
from tests.golden import make_klaverjas_solver_nodes

AIMS: tuple[Aim, ...] = get_args(Aim)
RULES = [
    KlaverjasRules(legality, "given", tie, four_jacks, pit)
    for legality, tie, four_jacks, pit in product(
        ("rotterdam", "amsterdam"), ("nat", "made"), (200, 100), ("declarers", "both")
    )
]


def random_ending(rng: np.random.Generator, rules: KlaverjasRules, cards_left: int) -> KlaverjasState:
    """A deal played at random until some cards are left to play."""
    state = KlaverjasState.random(rng, rules)
    while 32 - len(state.plays()) > cards_left:
        legal = state.legal_actions()
        state.apply(legal[int(rng.integers(len(legal)))])
    return state


def one_sided_ending(rng: np.random.Generator, rules: KlaverjasRules, cards_left: int) -> KlaverjasState:
    """An ending in which one team has all tricks so far."""
    while True:
        state = random_ending(rng, rules, cards_left)
        if 0 in state.tricks:
            return state


def compare(solver: Solver, state: KlaverjasState, aim: Aim) -> None:
    expected = reference.klaverjas_action_values(state, aim)
    best = (max if state.side(state.to_act) == 0 else min)(expected.values())
    solution = solver.solve(state, KlaverjasQuestion(aim))
    assert solution.exact
    assert solution.value == best, (aim, state)
    solution = solver.solve(state, KlaverjasQuestion(aim, actions=True, line=True))
    assert solution.exact
    assert {action: bounds.value for action, bounds in solution.actions.items()} == expected, (aim, state)
    assert solution.value == best
    assert solution.best is not None
    assert expected[solution.best] == best
    end = state.clone()
    for card in solution.line:
        end.apply(card)
    assert end.is_over
    assert reference.klaverjas_outcome(end, aim) == best, (aim, state, solution.line)


@pytest.mark.parametrize("rules", RULES, ids=KlaverjasRules.text)
def test_equals_plain_minimax(rules: KlaverjasRules) -> None:
    rng = np.random.default_rng(RULES.index(rules))
    solver = Solver()
    for number in range(40):
        state = random_ending(rng, rules, 1 + number % 10)
        for aim in AIMS:
            compare(solver, state, aim)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=KlaverjasRules.text)
def test_equals_plain_minimax_on_three_tricks(rules: KlaverjasRules) -> None:
    rng = np.random.default_rng(100 + RULES.index(rules))
    solver = Solver()
    for number in range(240):
        state = random_ending(rng, rules, 1 + number % 12)
        for aim in AIMS:
            compare(solver, state, aim)


@pytest.mark.slow
@pytest.mark.parametrize("rules", RULES, ids=KlaverjasRules.text)
def test_equals_plain_minimax_on_four_tricks(rules: KlaverjasRules) -> None:
    rng = np.random.default_rng(200 + RULES.index(rules))
    solver = Solver()
    for number in range(8):
        state = random_ending(rng, rules, 13 + number % 4)
        for aim in AIMS:
            assert solver.solve(state, KlaverjasQuestion(aim)).value == reference.klaverjas_value(state, aim)


@pytest.mark.parametrize("rules", RULES, ids=KlaverjasRules.text)
def test_all_tricks(rules: KlaverjasRules) -> None:
    """Endings in which the bonus for all tricks can still be had."""
    rng = np.random.default_rng(300 + RULES.index(rules))
    solver = Solver()
    bonus = 0
    for number in range(8):
        state = one_sided_ending(rng, rules, 8 + number % 3)
        compare(solver, state, "final_difference")
        plain = solver.solve(state, KlaverjasQuestion("difference")).value
        bonus += solver.solve(state, KlaverjasQuestion("final_difference")).value != plain
    assert bonus


@pytest.mark.parametrize("name", ["difference", "final_difference"])
def test_equals_the_recorded_values_from_the_second_trick(shared: Callable[[str], Path], name: str) -> None:
    key = f"{name}_declarers"
    lines = [line for _, line in read_open_card_lines(shared("data/klaverjas/open_card.jsonl"))]
    lines = [line for line in lines if key in line.values and line.position.tricks_played]
    assert len(lines) == 200
    solutions = Solver().solve_many([line.position for line in lines], KlaverjasQuestion(name))
    assert [solution.value for solution in solutions] == [line.values[key] for line in lines]


@pytest.mark.slow
def test_equals_the_recorded_values(shared: Callable[[str], Path]) -> None:
    lines = [line for _, line in read_open_card_lines(shared("data/klaverjas/open_card.jsonl"))]
    assert len(lines) == 260
    positions = [line.position for line in lines]
    differences = Solver().solve_many(positions, KlaverjasQuestion("difference"))
    assert [solution.value for solution in differences] == [line.value for line in lines]
    made = Solver().solve_many(positions, KlaverjasQuestion("made"))
    for line, solution in zip(lines, made, strict=True):
        assert line.value is not None
        assert solution.value == (line.value > 0)


def test_nodes_and_values_are_the_golden_ones() -> None:
    for golden in json.loads(make_klaverjas_solver_nodes.FILE.read_text()):
        assert make_klaverjas_solver_nodes.answers(KlaverjasState.parse(golden["position"])) == golden


def random_positions(count: int, seed: int, cards_left: int = 20) -> list[KlaverjasState]:
    rng = np.random.default_rng(seed)
    return [
        random_ending(rng, RULES[number % len(RULES)], cards_left - number % 4) for number in range(count)
    ]


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
    for number, state in enumerate(random_positions(60, seed=5)):
        question = KlaverjasQuestion(AIMS[number % 3], actions=True)
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
    solver, question = Solver(), KlaverjasQuestion("difference", actions=True)
    for state in random_positions(40, seed=7):
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
        difference = solver.solve(start, KlaverjasQuestion("difference")).value
        assert difference is not None
        made = solver.solve(start, KlaverjasQuestion("made")).value
        assert made == (difference >= (0 if rules.tie == "made" else 1))
        final = solver.solve(start, KlaverjasQuestion("final_difference", line=True))
        end = start.clone()
        for card in final.line:
            end.apply(card)
        assert reference.klaverjas_outcome(end, "final_difference") == final.value
        rng = np.random.default_rng(3)
        for _ in range(5):
            state = start.clone()
            for _ in range(22):
                legal = state.legal_actions()
                state.apply(legal[int(rng.integers(len(legal)))])
            for aim in AIMS:
                compare(solver, state, aim)


def test_threads_and_order_do_not_matter() -> None:
    states = random_positions(60, seed=6)
    for aim in AIMS:
        question = KlaverjasQuestion(aim, actions=aim == "made", line=True)
        alone = [Solver().solve(state, question) for state in states[:10]]
        one = Solver().solve_many(states, question)
        assert one[:10] == alone
        assert Solver().solve_many(states, question, threads=2) == one
        assert Solver().solve_many(states[::-1], question, threads=3)[::-1] == one
    assert Solver().solve_many([]) == []


def test_a_limit_leaves_bounds_that_hold() -> None:
    solver = Solver()
    stopped = 0
    rng = np.random.default_rng(4)
    for state in (KlaverjasState.random(rng, RULES[number]) for number in (0, 3, 9, 14)):
        for aim in AIMS:
            value = solver.solve(state, KlaverjasQuestion(aim)).value
            assert value is not None
            for limit in (1, 10, 100, 1000, 5000):
                for more in (False, True):
                    question = KlaverjasQuestion(aim, actions=more, line=more, node_limit=limit)
                    solution = solver.solve(state, question)
                    assert solution.bounds.lower <= value <= solution.bounds.upper
                    assert solution.nodes <= limit
                    assert solution.exact or len(solution.line) < 32
                    stopped += not solution.exact
            assert not solver.solve(state, KlaverjasQuestion(aim, actions=True, time_limit=1e-9)).exact
            assert solver.solve(state, KlaverjasQuestion(aim, time_limit=1000.0)).value == value
    assert stopped > 20


def test_what_cannot_be_answered_is_refused() -> None:
    solver, rng = Solver(), np.random.default_rng(1)
    with pytest.raises(ValueError, match="phase CHOOSE"):
        solver.solve(KlaverjasState.random(rng, KlaverjasRules(choice="free")))
    with pytest.raises(ValueError, match="phase OVER"):
        solver.solve(random_ending(rng, KlaverjasRules(), 0))
    with pytest.raises(ValueError, match="threads 0"):
        solver.solve_many([], threads=0)
    with pytest.raises(TypeError, match="KlaverjasView"):
        solver.solve(KlaverjasState.random(rng).view(0))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="did you mean 'made'"):
        KlaverjasQuestion("mad")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="node_limit 0"):
        KlaverjasQuestion(node_limit=0)


def line_of(state: KlaverjasState, **fields: Any) -> dict[str, Any]:
    assert state.trump is not None
    return {
        "trump": SUITS[state.trump], "declarer": state.declarer, "forehand": state.forehand,
        "hands": [" ".join(card_text(card) for card in cards_of(hand)) for hand in state.dealt],
        "played": [card_text(card) for _, card in state.plays()], **fields,
    }  # fmt: skip


def test_the_command_writes_and_checks_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(9)
    rules = [KlaverjasRules(), KlaverjasRules("amsterdam", tie="made", four_jacks=100, pit="both")]
    states = [random_ending(rng, rules[number % 2], 8) for number in range(12)]
    options = ["legality", "tie", "four_jacks", "pit"]
    path = tmp_path / "deals.jsonl"
    rows = [
        line_of(state, id=number, **{name: getattr(state.rules, name) for name in options})
        for number, state in enumerate(states)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert Solve(path, question="actions").run() == 0
    rows = [json.loads(text) for text in capsys.readouterr().out.splitlines()]
    for number, (row, state) in enumerate(zip(rows, states, strict=True)):
        assert row["id"] == number
        assert row["difference_declarers"] == reference.klaverjas_value(state, "difference")
        assert row["final_difference_declarers"] == reference.klaverjas_value(state, "final_difference")
        for key, aim in (("actions", "difference"), ("final_actions", "final_difference")):
            expected = reference.klaverjas_action_values(state, aim)
            assert {parse_card(card): value for card, value in row[key].items()} == expected
    solved = tmp_path / "solved.jsonl"
    solved.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for question in ("exact", "decision", "actions"):
        assert Solve(solved, question=question, check=True, threads=2).run() == 0
    assert "12 compared, 0 different" in capsys.readouterr().err
    rows[0]["difference_declarers"] += 2
    solved.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert Solve(solved, check=True).run() == 1
    assert "position 1: difference_declarers is" in capsys.readouterr().err
    card = next(iter(rows[1]["final_actions"]))
    rows[1]["final_actions"][card] += 1
    assert Solve(deal=json.dumps(rows[1]), question="actions", check=True).run() == 1
    assert f"{card} brings" in capsys.readouterr().err
    assert Solve(deal=states[2].text()).run() == 0
    printed = capsys.readouterr().out
    assert "final difference" in printed
    assert "best play" in printed


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"trump": "X"}, "trump 'X'"),
        ({"declarer": 4}, "declarer 4"),
        ({"forehand": True}, "forehand True"),
        ({"hands": ["D7", "D8"]}, "four texts"),
        ({"hands": ["D7", "D8", "D9", "DT"]}, "hand 0 has 1 cards"),
        ({"legality": "paris"}, "rule 'legality'"),
        ({"played": "D7 D7"}, "card . played"),
        ({"difference_declarers": "61"}, "difference_declarers"),
        ({"final_actions": [1]}, "final_actions"),
        ({"contract": "C"}, "both"),
    ],
)
def test_malformed_lines_are_refused(fields: dict[str, Any], message: str, tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    state = KlaverjasState.random(np.random.default_rng(3))
    path.write_text(json.dumps({**line_of(state), **fields}) + "\n")
    with pytest.raises(ValueError, match=f"{path}:1: .*{message}"):
        list(read_open_card_lines(path))


def test_lines_and_texts_of_no_game_are_refused() -> None:
    state = KlaverjasState.random(np.random.default_rng(3))
    row = line_of(state)
    with pytest.raises(ValueError, match="forehand is missing"):
        parse_position(json.dumps({key: value for key, value in row.items() if key != "forehand"}))
    with pytest.raises(ValueError, match="neither"):
        parse_position(json.dumps({key: value for key, value in row.items() if key != "trump"}))
    with pytest.raises(ValueError, match="not a JSON object"):
        parse_position("{")
    with pytest.raises(ValueError, match="1/1 cards at its places"):
        parse_position("D7/D8 :")
    game, line = parse_position(state.text())
    assert (game.name, line.position) == ("klaverjas", state)
