"""States and views of both games: what holds in every position of every game."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skat_env.errors import IllegalAction, UnknownName
from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.klaverjas import KlaverjasRules, KlaverjasState, KlaverjasView
from skat_env.skat import GAME as SKAT
from skat_env.skat import SkatRules, SkatState, SkatView
from tests.conftest import klaverjas_positions, random_games, skat_positions

GAMES = {
    "skat": (SKAT, SkatView, skat_positions()),
    "klaverjas": (KLAVERJAS, KlaverjasView, klaverjas_positions()),
}
# The names that a repr is read with.
NAMES = {
    cls.__name__: cls
    for cls in (SkatState, SkatView, SkatRules, KlaverjasState, KlaverjasView, KlaverjasRules)
}

both_games = pytest.mark.parametrize("name", list(GAMES))


def drawn(name: str, data: st.DataObject) -> Any:
    return data.draw(GAMES[name][2])


@both_games
@given(st.data())
def test_apply_then_undo_is_identity(name: str, data: st.DataObject) -> None:
    state = drawn(name, data)
    before = state.clone()
    for action in state.legal_actions():
        state.apply(action)
        assert state != before
        state.undo()
        assert state == before
        assert state.key() == before.key()


@both_games
@given(st.data())
def test_undo_goes_back_to_the_deal(name: str, data: st.DataObject) -> None:
    state = drawn(name, data)
    start = type(state).parse(f"{state.deal.text()} {state.head()} :")
    for _ in range(len(state.history())):
        state.undo()
    assert state == start
    with pytest.raises(IllegalAction, match="no action to undo"):
        state.undo()


@both_games
@given(st.data())
def test_32_cards_are_conserved(name: str, data: st.DataObject) -> None:
    state = drawn(name, data)
    masks = [*state.places, state.played_mask()]
    assert sum(mask.bit_count() for mask in masks) == 32
    assert np.bitwise_or.reduce(np.array(masks, np.uint64)) == 2**32 - 1


@both_games
@given(st.data())
def test_illegal_actions_raise_and_change_nothing(name: str, data: st.DataObject) -> None:
    state = drawn(name, data)
    before = state.clone()
    legal = set(state.legal_actions())
    for action in [*range(-2, 50), 2**31 - 1]:
        if action not in legal:
            with pytest.raises(IllegalAction):
                state.apply(action)
    assert state == before


@both_games
@given(st.data())
def test_copies_are_independent(name: str, data: st.DataObject) -> None:
    state = drawn(name, data)
    before = state.text()
    for made in (state.clone(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert made == state
        assert hash(made) == hash(state)
        if not made.is_over:
            made.apply(made.legal_actions()[0])
            assert made != state
    assert state.text() == before


@both_games
@given(st.data())
def test_texts_parse_back(name: str, data: st.DataObject) -> None:
    state = drawn(name, data)
    game, view_type, _ = GAMES[name]
    assert type(state).parse(state.text()) == state
    assert eval(repr(state), NAMES) == state
    for seat in range(len(game.seats)):
        view = state.view(seat)
        assert view_type.parse(view.text()) == view
        assert pickle.loads(pickle.dumps(view)) == view
        assert hash(view_type.parse(view.text())) == hash(view)
        assert eval(repr(view), NAMES) == view


@both_games
@given(st.data())
def test_observations_are_bits_of_the_view(name: str, data: st.DataObject) -> None:
    state = drawn(name, data)
    for seat in range(len(GAMES[name][0].seats)):
        observation = state.observe(seat)
        assert set(np.unique(observation)) <= {0, 1}
        assert (state.view(seat).observe(seat) == observation).all()


@both_games
@given(st.data())
def test_rendering_fits_80_columns(name: str, data: st.DataObject) -> None:
    state = drawn(name, data)
    game = GAMES[name][0]
    for seat in (None, *range(len(game.seats))):
        assert max(map(len, game.render(state, seat).splitlines())) <= 80


@both_games
def test_results_need_a_finished_game_and_a_known_unit(name: str) -> None:
    game = GAMES[name][0]
    unit = game.reward_units[0]
    state = random_games(game, 1, 3)[0]
    assert any(state.returns())
    assert state.returns() == state.returns(unit)
    with pytest.raises(UnknownName, match=f"did you mean '{unit}'"):
        state.returns(unit[:-1])
    state.undo()
    assert state.returns() == (0,) * len(game.seats)
    assert state.outcome() is None
    with pytest.raises(ValueError, match="no result yet"):
        state.result()


@both_games
def test_a_game_is_claimed_in_the_cardplay(name: str) -> None:
    refused = set()
    rules = KlaverjasRules(choice="free") if name == "klaverjas" else None
    for state in random_games(GAMES[name][0], 30, 3, rules):
        while state.history():
            state.undo()
            view = state.view(state.to_act)
            if state.stage == "cardplay":
                assert any(state.returns(None, True))
                continue
            refused.add(state.phase)
            for position, claim in ((state, True), (state, np.False_), (view, True), (view, False)):
                with pytest.raises(ValueError, match=f"in the cardplay, not in the stage '{state.stage}'"):
                    position.returns(None, claim)
            with pytest.raises(ValueError, match="no result yet"):
                state.result(True)
    assert len(refused) >= (6 if name == "skat" else 1)
