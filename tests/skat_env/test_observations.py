"""The observations of both games: against plain twins that read the view, and what they keep of it."""

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skat_env import klaverjas_v0, skat_v0
from skat_env.features import table, total_width
from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.klaverjas import KlaverjasRules, KlaverjasView
from skat_env.klaverjas import observation as klaverjas_observation
from skat_env.protocols import Game
from skat_env.skat import GAME as SKAT
from skat_env.skat import Declaration, SkatState, SkatView
from skat_env.skat import observation as skat_observation
from tests.conftest import klaverjas_positions, random_games, skat_positions
from tests.helpers import plain_observations


def known_in_skat(view: SkatView) -> tuple:
    """What a view tells, but for the order in which the soloist laid his two cards away."""
    actions = view.history()
    first = len(actions) - len(view.plays())
    discards = sorted(a for a in actions[:first] if a < 32)
    return (view.dealt, tuple(discards), tuple(a for i, a in enumerate(actions) if i >= first or a >= 32))


def known_in_klaverjas(view: KlaverjasView) -> tuple:
    """What a view tells."""
    return (view.dealt[view.seat], view.declarer, view.trump, tuple(view.history()))


@dataclass(frozen=True)
class Observed:
    """A game, its observation, and what that is held against."""

    game: Game
    module: ModuleType
    page: ModuleType
    width: int
    positions: st.SearchStrategy[Any]
    twin: Callable[[Any], plain_observations.Slices]
    known: Callable[[Any], tuple]
    rules: tuple[Any, ...]
    """Under which games are played at random."""


GAMES = {
    "skat": Observed(
        SKAT,
        skat_observation,
        skat_v0,
        1142,
        skat_positions(),
        plain_observations.skat,
        known_in_skat,
        (SKAT.rules(), SKAT.rules(play_out=True)),
    ),
    "klaverjas": Observed(
        KLAVERJAS,
        klaverjas_observation,
        klaverjas_v0,
        1135,
        klaverjas_positions(),
        plain_observations.klaverjas,
        known_in_klaverjas,
        (KlaverjasRules(choice="given"), KlaverjasRules(choice="free")),
    ),
}
both_games = pytest.mark.parametrize("name", list(GAMES))


def check(name: str, state: Any) -> None:
    """Holds what every seat observes against the plain twin."""
    for seat in range(len(GAMES[name].game.seats)):
        observation, expected = state.observe(seat), GAMES[name].twin(state.view(seat))
        slices = GAMES[name].module.SLICES
        assert list(slices) == list(expected)
        assert [each for each, place in slices.items() if observation[place].tolist() != expected[each]] == []


@both_games
@given(st.data())
def test_equal_to_the_plain_twin(name: str, data: st.DataObject) -> None:
    check(name, data.draw(GAMES[name].positions))


@pytest.mark.parametrize("declaration", ["GHS", "NO", "CO", "D"])
def test_given_cardplays_of_skat_too(declaration: str) -> None:
    rng = np.random.default_rng(1)
    state = SkatState.cardplay(SKAT.random_deal(rng), 1, Declaration.parse(declaration), (18, 22, 20))
    while not state.is_over:
        check("skat", state)
        legal = state.legal_actions()
        state.apply(legal[int(rng.integers(len(legal)))])


@both_games
def test_the_layout(name: str) -> None:
    game, features = GAMES[name].game, GAMES[name].module.FEATURES
    width = GAMES[name].width
    assert GAMES[name].module.WIDTH == total_width(features) == width
    assert list(GAMES[name].module.SLICES) == [feature.name for feature in features]
    observation = game.state.random(np.random.default_rng(0)).observe(2)
    assert observation.dtype == np.int8
    assert observation.shape == (width,)
    page = GAMES[name].page.__doc__
    assert page is not None
    assert table(features) in page
    assert f"int8 [{width}]" in page
    assert f"int8 [{len(game.actions)}]" in page


@both_games
def test_observations_recall_perfectly(name: str) -> None:
    """Different views of the same seat have different observations."""
    seen: dict[bytes, tuple] = {}
    for rules in GAMES[name].rules:
        for state in random_games(GAMES[name].game, 30, 5, rules):
            while state.history():
                for seat in range(len(GAMES[name].game.seats)):
                    known = (seat, *GAMES[name].known(state.view(seat)))
                    assert seen.setdefault(state.observe(seat).tobytes(), known) == known
                state.undo()
    assert len(seen) > 3000
