"""What a player of Skat is sure of: against plain enumeration, against recorded values, and what follows from it."""

import json
import random
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from skat_env.beliefs.belief import Belief
from skat_env.cards import cards_of
from skat_env.deal import Deal
from skat_env.skat import SkatState
from skat_env.skat.rules import PLACE_SIZES, Announcement, Contract, Declaration
from skat_env.solvers.commands.solve import Solve
from skat_env.solvers.skat import Question, Solver
from skat_env.solvers.skat.information_set import InformationSet
from skat_env.solvers.skat.paranoia import ParanoiaSolver
from skat_env.solvers.skat.question import SureQuestion
from tests.helpers import plain_paranoia
from tests.helpers.alarms import interrupts
from tests.helpers.endings import skat_ending

ENDING = {
    "contract": "H", "hand": ["HK", "HA", "CT"], "unseen": ["DA", "H7", "H9", "HQ", "CJ", "CA"],
    "voids": [["D"], ["S", "C"]], "leader": 1,
}  # fmt: skip


def drawn(rng: random.Random, sizes: list[int]) -> InformationSet | None:
    """A random information set of two to four cards a player; None: the draw is none."""
    cards = list(range(32))
    if rng.random() < 0.5:  # two suits and the jacks: more plays follow
        cards = [card for card in cards if card >> 3 < 2 or card & 7 == 4]
    rng.shuffle(cards)
    size, soloist, leader, on_table = (
        rng.choice(sizes),
        rng.choice([0, 0, 1, 2]),
        rng.randrange(3),
        rng.randrange(3),
    )
    skat = 2 if soloist else rng.choice([0, 2])
    held = [size, size, size]
    for place in range(on_table):
        held[(leader + place) % 3] -= 1
    hand, table = cards[: held[0]], cards[held[0] : held[0] + on_table]
    unseen = cards[held[0] + on_table :][: held[1] + held[2] + skat]
    if len(unseen) < held[1] + held[2] + skat:
        return None
    places = range(3 if skat else 2)
    can = [sum(1 << card for card in unseen) if place in places else 0 for place in range(3)]
    for card in unseen:
        for place in places:
            if rng.random() < 0.15 and sum(mask >> card & 1 for mask in can) > 1:
                can[place] &= ~(1 << card)
    return InformationSet(
        rng.choice(list(Contract)),
        soloist,
        sum(1 << card for card in hand),
        (can[0], can[1], can[2]),
        (held[1], held[2], skat),
        leader,
        tuple(table),
    )


@pytest.mark.parametrize("sizes", [[1, 2, 3], pytest.param([3, 4], marks=pytest.mark.slow)])
def test_equals_plain_enumeration_of_worlds_and_plays(sizes: list[int]) -> None:
    rng = random.Random(sum(sizes))
    solver = ParanoiaSolver()
    compared = 0
    while compared < (30 if 4 in sizes else 80):
        known = drawn(rng, sizes)
        if known is None or (4 in sizes and known.sizes[2]):
            continue
        if not plain_paranoia.worlds_of(known):
            with pytest.raises(ValueError, match="no world is possible"):
                solver.solve(known)
            continue
        compared += 1
        for aim in ("points", "tricks") if known.contract != Contract.NULL else ("points",):
            value = plain_paranoia.sure(known, aim == "tricks")
            assert solver.solve(known, SureQuestion(aim)).value == value, known.text()
            for target in range(max(0, value - 1), value + 2):
                if known.contract != Contract.NULL:
                    assert solver.solve(known, SureQuestion(aim, target)).reaches(target) == (value >= target)
            if known.to_act == 0:
                solution = solver.solve(known, SureQuestion(aim, actions=True))
                after = plain_paranoia.sure_after(known, aim == "tricks")
                assert {card: bounds.value for card, bounds in solution.actions.items()} == after, (
                    known.text()
                )
                assert solution.value == value
                assert solution.best is not None
                assert after[solution.best] == value


@pytest.mark.slow
def test_equals_the_recorded_values(
    shared: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path = shared("data/skat/paranoia.jsonl")
    assert Solve(path, question="guaranteed", check=True, threads=2).run() == 0
    assert "300 compared, 0 different" in capsys.readouterr().err


@pytest.mark.parametrize("contract", list(Contract))
def test_is_sure_of_no_more_than_any_world_gives_with_open_cards(contract: Contract) -> None:
    """And of exactly that where nothing is hidden but how two players' cards lie, in the only world there is."""
    rng = np.random.default_rng(contract)
    solver, paranoia = Solver(), ParanoiaSolver()
    null = contract == Contract.NULL
    for _ in range(10):
        state = skat_ending(rng, contract, 12)
        for seat in range(3):
            view = state.view(seat)
            soloist = seat == state.soloist
            sure = paranoia.solve(view).value
            assert sure is not None
            belief = Belief(view)
            values = []
            for row in belief.sample_distinct(20, rng):
                value = solver.solve(belief.state(row, rng)).value
                assert value is not None
                if null:
                    values.append(value if not soloist else 1 - value)
                else:
                    values.append(value if soloist else 120 - value)
            assert sure <= min(values)


def test_one_world_is_an_open_card_position_of_the_soloist() -> None:
    rng = np.random.default_rng(5)
    solver, paranoia = Solver(), ParanoiaSolver()
    for number in range(60):
        state = skat_ending(rng, Contract(number % 5), 12)
        me = state.soloist
        hands = [state.hands[(me + place) % 3] for place in range(3)]
        known = InformationSet.of(state.view(me))
        open_cards = replace(known, can=(hands[1], hands[2], 0))
        assert paranoia.solve(open_cards).value == solver.solve(state, Question()).value


def test_a_share_of_the_worlds_left_out_makes_no_answer_lower() -> None:
    """And the answer still holds in a world in which no card left out is played."""
    rng = np.random.default_rng(8)
    paranoia = ParanoiaSolver()
    more = 0
    for number in range(80):
        state = skat_ending(rng, Contract(number % 5), 15)
        view = state.view(state.soloist)
        all_worlds = paranoia.solve(view).value
        most = [paranoia.solve(view, SureQuestion(min_share=share)).value for share in (0.05, 0.2, 0.4)]
        assert all_worlds is not None
        values = [all_worlds, *(value for value in most if value is not None)]
        assert values == sorted(values)
        more += values[-1] > all_worlds
    assert more > 5


def test_answers_do_not_depend_on_threads_or_on_what_was_asked_before() -> None:
    rng = np.random.default_rng(3)
    views = [skat_ending(rng, Contract(number % 6), 15).view(number % 3) for number in range(24)]
    alone = [ParanoiaSolver().solve(view) for view in views]
    solver = ParanoiaSolver()
    assert solver.solve_many(views) == alone
    assert solver.solve_many(views, SureQuestion(), 3) == alone


def test_limits_end_a_search_with_bounds_that_hold() -> None:
    view = skat_ending(np.random.default_rng(11), Contract.CLUBS, 21).view(0)
    solver = ParanoiaSolver()
    solution = solver.solve(view, SureQuestion(node_limit=1))
    exact = solver.solve(view)
    assert not solution.exact
    assert exact.value is not None
    assert solution.bounds.lower <= exact.value <= solution.bounds.upper


def test_nothing_is_known_of_cards_that_are_not_legal() -> None:
    state = skat_ending(np.random.default_rng(11), Contract.CLUBS, 9)
    known, exact = state.view(state.to_act), ParanoiaSolver().solve(state.view(state.to_act))
    for cards in (0, 0xFFFFFFFF & ~state.legal()):
        none = ParanoiaSolver().solve(known, SureQuestion(actions=True, cards=cards))
        assert not none.exact
        assert not none.actions
        assert none.bounds.lower <= exact.bounds.lower <= exact.bounds.upper <= none.bounds.upper
        assert none.bounds.lower < none.bounds.upper


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_the_search_of_a_position(threads: int) -> None:
    limit, began = 60.0, time.monotonic()
    state = SkatState.cardplay(
        Deal.random(np.random.default_rng(4), PLACE_SIZES), 0, Declaration(Contract.CLUBS), (18, 0, 0)
    )
    with pytest.raises(KeyboardInterrupt), interrupts(0.2):
        ParanoiaSolver().solve_many([state.view(0)] * threads, SureQuestion(time_limit=limit), threads)
    assert time.monotonic() < began + limit


def test_an_information_set_is_what_the_view_proves() -> None:
    rng = np.random.default_rng(2)
    for number in range(60):
        state = skat_ending(rng, Contract(number % 6), 4 + 3 * (number % 5))
        for seat in range(3):
            known = InformationSet.of(state.view(seat))
            others = ((seat + 1) % 3, (seat + 2) % 3)
            assert known.hand == state.hands[seat]
            for place, other in enumerate(others):
                assert known.sizes[place] == state.hands[other].bit_count()
                assert not state.hands[other] & ~known.can[place]
            assert (known.to_act + seat) % 3 == state.to_act
            assert len(state.plays()) // 3 == known.tricks_played
            possible = Belief(state.view(seat)).possible()
            for card in cards_of(known.can[0] | known.can[1] | known.can[2]):
                for place, other in enumerate((*others, 3)):
                    assert bool(known.can[place] >> card & 1) == bool(possible[card, other])


def test_an_ouvert_hand_is_known_to_the_defenders() -> None:
    rng = np.random.default_rng(4)
    state = skat_ending(rng, Contract.NULL, 30)
    bids = (23 * (state.soloist == 0), 23 * (state.soloist == 1), 23 * (state.soloist == 2))
    assert state.declaration is not None
    ouvert = SkatState.cardplay(
        state.deal, state.soloist, replace(state.declaration, announcement=Announcement.OUVERT), bids
    )
    defender = (state.soloist + 1) % 3
    known = InformationSet.of(ouvert.view(defender))
    assert known.can[1] == state.hands[state.soloist]
    assert not known.can[0] & known.can[1]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"hand": ["HK", "HK", "CT"]}, "hand has HK twice"),
        ({"unseen": ["HK", "H7", "H9", "HQ", "CJ", "CA"]}, "HK is there twice"),
        ({"unseen": ["H7", "H9", "HQ", "CJ"]}, "the skat has -2 unseen cards"),
        ({"voids": [["X"], []]}, "voids has 'X'"),
        ({"voids": [["D"]]}, "voids is not a list of two lists"),
        ({"leader": 3}, "leader 3"),
        ({"table": ["D7", "D8", "D9"]}, "not at most two cards"),
        ({"contract": "X"}, "contract 'X'"),
        ({"hand": []}, "the skat has 6 unseen cards"),
        ({"voids": [["S", "D", "C", "trump"], []]}, "no world is possible"),
        ({"voids": [["C"], ["H"]]}, "voids has 'H', but hearts are trumps: expected 'trump' for them"),
        ({"contract": "N", "voids": [["trump"], []]}, "voids has 'trump', but a null game has no trumps"),
    ],
)
def test_lines_that_are_no_information_set_are_refused(
    fields: dict[str, object], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "lines"
    path.write_text(json.dumps({**ENDING, **fields}) + "\n")
    with pytest.raises(ValueError, match=message):
        Solve(path, question="guaranteed").run()


def test_the_command_checks_what_is_guaranteed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "lines"
    rows = [
        {**ENDING, "guaranteed_points": 11, "cards": []},
        {**ENDING, "contract": "N", "loses_no_trick": False},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert Solve(path, question="guaranteed", check=True).run() == 0
    assert "2 compared, 0 different" in capsys.readouterr().err
    path.write_text(json.dumps({**ENDING, "guaranteed_points": 12}))
    assert Solve(path, question="guaranteed", check=True).run() == 1
    assert "position 1: guaranteed_points is 11, the line has 12" in capsys.readouterr().err
    assert Solve(deal=json.dumps(ENDING), question="guaranteed").run() == 0
    assert "11 more card points" in capsys.readouterr().out
    for question in ("exact", "decision", "actions"):
        with pytest.raises(ValueError, match="does not fit lines with the key unseen"):
            Solve(path, question=question).run()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_share": 2.0}, "min_share=2.0"),
        ({"line": True}, "no line of best play"),
        ({"target": 121}, "target 121 is out of range"),
    ],
)
def test_questions_out_of_range_are_refused(options: dict[str, float], message: str) -> None:
    view = skat_ending(np.random.default_rng(1), Contract.CLUBS, 9).view(0)
    with pytest.raises(ValueError, match=message):
        ParanoiaSolver().solve(view, SureQuestion(**options))  # type: ignore[arg-type]
