"""The autopilot of Skat: whoever follows it wins, whatever the others hold and play."""

from dataclasses import replace

import numpy as np
import pytest

from skat_env.beliefs.belief import Belief
from skat_env.registry import make_agent
from skat_env.skat import SkatState
from skat_env.skat.rules import Contract
from skat_env.solvers.skat.paranoia import ParanoiaSolver
from skat_env.solvers.skat.question import SureQuestion
from skat_env.solvers.skat.sure_cards import SureCards
from skat_env.solvers.skat.winning import sure_question, winning_question
from tests.helpers.endings import skat_choice, skat_ending

DECLARATIONS = ("D", "SH", "GHS", "N", "NO", "HHZ", "CO")


def side_wins(state: SkatState, seat: int) -> bool:
    return state.result().won == (seat == state.soloist)


@pytest.mark.parametrize("declaration", DECLARATIONS)
def test_whoever_plays_sure_cards_wins_in_every_world_against_every_play(declaration: str) -> None:
    rng = np.random.default_rng(len(declaration) + ord(declaration[0]))
    find = SureCards(node_limit=10_000_000)
    followed = 0
    for _ in range(40):
        state = skat_choice(rng, declaration, int(rng.integers(7, 16)))
        seat = state.to_act
        view = state.view(seat)
        if not find(view):
            continue
        followed += 1
        belief = Belief(view)
        for row in belief.sample_distinct(3, rng):
            game: SkatState = belief.state(row, rng)
            while not game.is_over:
                cards = game.legal_actions()
                if game.to_act == seat:
                    cards = find(game.view(seat))
                    assert cards, "a card that wins for sure leads to positions that have one"
                game.apply(cards[int(rng.integers(len(cards)))])
            assert side_wins(game, seat), view.text()
    assert followed >= 2


def test_the_question_of_a_soloist_is_that_of_the_open_cards() -> None:
    rng = np.random.default_rng(9)
    for declaration in ("D", "S", "G", "N", "NO"):
        for bid in (18, 24, 36, 48, 96):
            state = skat_choice(rng, declaration, 12, bid)
            asked = sure_question(state.view(state.soloist))
            open_cards = winning_question(state)
            assert (asked is None) == (open_cards is None)
            if asked is not None and open_cards is not None:
                assert (asked.aim, asked.target) == (open_cards.aim, open_cards.target)


def test_a_soloist_who_does_not_know_the_skat_reckons_with_the_fewest_matadors() -> None:
    rng = np.random.default_rng(4)
    raised = 0
    for _ in range(200):
        state = skat_choice(rng, "CH", 12, 48)
        asked = sure_question(state.view(state.soloist))
        open_cards = winning_question(state)
        assert open_cards is not None
        assert asked is not None
        assert asked.target is not None
        assert open_cards.target is not None
        assert asked.aim != open_cards.aim or asked.target >= open_cards.target
        raised += asked.target > open_cards.target
    assert raised


def test_pimc_plays_a_sure_card_unsearched() -> None:
    rng = np.random.default_rng(12)
    agent = make_agent("pimc(worlds=4, paranoia=true)", "skat")
    plain = make_agent("pimc(worlds=4)", "skat")
    find = SureCards()
    assert "paranoia=true" in agent.name
    kinds = set()
    for number in range(40):
        state = skat_ending(rng, Contract(number % 6), 12)
        view = state.view(state.to_act)
        if len(view.legal_actions()) == 1:
            continue
        sure = find(view)
        decision = agent.decide(view, np.random.default_rng(0))
        kinds.add(min(len(sure), 2))
        if sure:
            assert decision.action in sure
        else:
            assert decision.action == plain.decide(view, np.random.default_rng(0)).action
    assert kinds == {0, 1, 2}


def test_a_search_that_reaches_its_limit_finds_nothing() -> None:
    rng = np.random.default_rng(3)
    found = limited = 0
    for number in range(60):
        state = skat_ending(rng, Contract(number % 5), 15)
        view = state.view(state.to_act)
        sure = SureCards(node_limit=1_000_000)(view)
        found += bool(sure)
        limited += bool(SureCards(node_limit=1)(view))
    assert limited < found


def test_games_without_such_a_search_refuse_it() -> None:
    with pytest.raises(ValueError, match="sure_cards"):
        make_agent("pimc(paranoia=true)", "klaverjas")


def test_cards_of_a_question_are_the_only_ones_answered() -> None:

    state = skat_choice(np.random.default_rng(5), "S", 12)
    view = state.view(state.to_act)
    solver = ParanoiaSolver()
    every = solver.solve(view, SureQuestion(actions=True))
    card = view.legal_actions()[0]
    one = solver.solve(view, replace(SureQuestion(actions=True), cards=1 << card))
    assert set(one.actions) == {card}
    assert one.actions[card] == every.actions[card] == one.bounds
