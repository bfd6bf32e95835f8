"""KlaverjasState and KlaverjasView: what they hide, texts that contradict themselves, results and units."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skat_env.cards import ALL_CARDS_MASK, card_symbol, cards_of, mask_of
from skat_env.deal import Deal
from skat_env.errors import IllegalAction, ParseError
from skat_env.klaverjas import GAME, KlaverjasRules, KlaverjasState, KlaverjasView
from skat_env.klaverjas.rules import partner_of
from tests.conftest import klaverjas_positions, random_games


@given(klaverjas_positions())
def test_views_hold_nothing_hidden(state: KlaverjasState) -> None:
    for seat in range(4):
        view = state.view(seat)
        assert view.seat == seat
        assert view.hand == state.hands[seat]
        assert view.legal() == (state.legal() if state.to_act == seat else 0)
        assert view.history() == state.history()
        assert view.plays() == state.plays()
        for other in range(4):
            if other != seat:
                assert view.hands[other] == view.dealt[other] == 0
        hidden = mask_of(c for other in range(4) if other != seat for c in cards_of(state.hands[other]))
        for card in cards_of(hidden):
            assert card_symbol(card) not in GAME.render(state, seat)


@given(klaverjas_positions(), st.integers(0, 2**32 - 1))
def test_views_never_change_when_hidden_cards_are_exchanged(state: KlaverjasState, seed: int) -> None:
    """Deals the cards that a seat cannot place anew, and replays the game where the rules still allow it."""
    rng = np.random.default_rng(seed)
    for seat in range(4):
        others = [other for other in range(4) if other != seat]
        free = rng.permutation([card for other in others for card in cards_of(state.hands[other])]).tolist()
        places = list(state.dealt)
        for other in others:
            size = state.hands[other].bit_count()
            places[other] = state.dealt[other] & ~state.hands[other] | mask_of(free[:size])
            free = free[size:]
        try:
            world = KlaverjasState.parse(" ".join([Deal(tuple(places)).text(), *state.text().split()[1:]]))
        except IllegalAction:
            continue
        view = state.view(seat)
        assert world.view(seat) == view
        assert hash(world.view(seat)) == hash(view)
        assert (world.observe(seat) == state.observe(seat)).all()
        assert GAME.render(world, seat) == GAME.render(state, seat) or state.is_over


START = KlaverjasState.random(np.random.default_rng(1))


@pytest.mark.parametrize(
    ("head", "told"),
    [
        ("declarer=1", "comes with a declarer"),
        ("declarer=1 trump=X", "is not a suit"),
        ("declarer=4 trump=H", "is not a seat"),
        ("declarer=1 trump=H forehand=x", "is not a seat"),
        ("declarer=1 trump=H choice=free", "the deal cannot give them"),
        ("declarer=1 trump=H legality=rome", "expected one of rotterdam, amsterdam"),
        ("declarer=1 trump=H trump=H", "repeated field"),
        ("bid=18", "unknown or repeated field"),
    ],
)
def test_heads_that_are_none(head: str, told: str) -> None:
    with pytest.raises(ParseError, match=told):
        KlaverjasState.parse(f"{START.deal.text()} {head} :")


def test_views_that_contradict_themselves() -> None:
    state = START.clone()
    for _ in range(6):
        state.apply(state.legal_actions()[0])
    view = state.view(2)
    text = view.text()
    with pytest.raises(ParseError, match="names its seat"):
        KlaverjasView.parse(text.replace("seat=2 ", ""))
    with pytest.raises(ParseError, match="eight cards and three"):
        KlaverjasView.parse(text.replace("seat=2", "seat=1"))
    with pytest.raises(ParseError, match="is not possible there"):
        KlaverjasView.parse(text + " " + text.split()[-1])
    own = next(c for c in cards_of(view.dealt[2]))
    with pytest.raises(ParseError, match="is not possible there"):
        KlaverjasView.parse(text.partition(":")[0] + ": " + GAME.actions[own])


@pytest.mark.parametrize("legality", ["rotterdam", "amsterdam"])
def test_views_refuse_cards_that_an_earlier_play_excludes(legality: Any) -> None:
    refused = 0
    for state in random_games(GAME, 3, 4, KlaverjasRules(legality)):
        while state.plays():
            state.undo()
            view = state.view((state.to_act + 1) % 4)
            excluded = view.excluded(state.to_act)
            for card in cards_of(ALL_CARDS_MASK & ~(view.dealt[view.seat] | state.played_mask())):
                text = f"{view.text()} {GAME.actions[card]}"
                if excluded >> card & 1:
                    refused += 1
                    with pytest.raises(ParseError, match="is not possible there"):
                        KlaverjasView.parse(text)
                else:
                    assert KlaverjasView.parse(text).history()[-1] == card
    assert refused


def test_claims_need_trumps() -> None:
    free = KlaverjasState.random(np.random.default_rng(0), KlaverjasRules(choice="free"))
    with pytest.raises(ValueError, match="no result yet"):
        free.result(claim=True)


@pytest.mark.parametrize("unit", GAME.reward_units)
def test_reward_units_agree_with_the_result(unit: str) -> None:
    for state in random_games(GAME, 200, 11):
        result, returns = state.result(), state.returns(unit)
        for seat in range(4):
            team = seat % 2
            made = result.made == (team == result.declarer % 2)
            expected = {
                "difference": result.scores[team] - result.scores[1 - team],
                "score": result.scores[team],
                "made": 1 if made else -1,
            }[unit]
            assert returns[seat] == expected == returns[partner_of(seat)]
        assert state.outcome().won == result.made
        assert state.outcome().declarer == result.declarer


@given(klaverjas_positions(), st.booleans())
def test_claims_give_the_open_points_to_a_team(state: KlaverjasState, claim: bool) -> None:
    if state.trump is None:
        return
    result = state.result(claim)
    assert sum(result.card_points) == 162
    assert sum(result.tricks) == 8
    assert result.roem == state.roem
    if not state.is_over:
        team = state.declarer % 2 if claim else 1 - state.declarer % 2
        assert result.card_points[1 - team] == state.points[1 - team]


def test_deals_are_forehand_zero_with_uniform_trumps() -> None:
    rng = np.random.default_rng(0)
    states = [KlaverjasState.random(rng) for _ in range(800)]
    assert {state.forehand for state in states} == {0}
    counts = np.zeros((4, 4))
    for state in states:
        counts[state.declarer, state.trump] += 1
    assert counts.min() > 25
