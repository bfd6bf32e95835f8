"""Sources of starts that give what no game can begin with."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from skat_env.envs.aec import raw_env
from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.envs.single_seat import SingleSeatEnv
from skat_env.envs.vector import SelfPlayVector
from skat_env.errors import OptionError, UnknownName
from skat_env.play.starts import (
    PlayedTo,
    Positions,
    RandomDeals,
    RandomDeclarations,
    draw_starts,
    start_source,
    starts_of,
)
from skat_env.registry import get_game
from tests.conftest import random_games

both_games = pytest.mark.parametrize("game", ["skat", "klaverjas"])


def no_starts(game: str) -> list[Any]:
    """What is no start of a game."""
    fresh = get_game(game).state.random(np.random.default_rng(0))
    other = get_game("klaverjas" if game == "skat" else "skat").state.random(np.random.default_rng(0))
    return [None, fresh.view(0), fresh.view(0).blank_state(), random_games(get_game(game), 1, 1)[0], other]


class Many:
    """A batch source of one state."""

    def __init__(self, state: Any) -> None:
        self.state = state

    def __call__(self, rng: np.random.Generator) -> Any:
        return self.state

    def many(self, rngs: list[np.random.Generator]) -> list[Any]:
        return [self.state for _ in rngs]


@both_games
@pytest.mark.parametrize("number", range(5))
def test_what_is_no_start_is_refused(game: str, number: int) -> None:
    state = no_starts(game)[number]
    for call in (
        lambda: draw_starts(game, lambda rng: state, 2, 0),
        lambda: starts_of(game, lambda rng: state, [np.random.default_rng(0)]),
        lambda: starts_of(game, Many(state), [np.random.default_rng(0)]),
        lambda: Positions([get_game(game).state.random(np.random.default_rng(0)), state]),
    ):
        with pytest.raises(ValueError, match="start"):
            call()


@both_games
def test_positions_need_a_start(game: str) -> None:
    with pytest.raises(ValueError, match="at least one"):
        Positions([])
    with pytest.raises(ValueError, match="a start is a state of a game, not None"):
        Positions([None])  # type: ignore[list-item]
    state = get_game(game).state.random(np.random.default_rng(0))
    drawn = Positions([state])(np.random.default_rng(0))
    assert drawn == state
    assert drawn is not state


@both_games
def test_rules_are_those_of_the_game(game: str) -> None:
    other = get_game("klaverjas" if game == "skat" else "skat")
    for rules in (other.rules(), False, 0, "", {}):
        with pytest.raises(ValueError, match=f"{game} with rules="):
            RandomDeals(game, rules)


@both_games
@pytest.mark.parametrize("number", range(5))
def test_learners_check_their_starts(game: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = pytest.importorskip(
        "skat_env.agents.learners.experience.start_pool", reason="networks need the extra 'learn'"
    )
    state = no_starts(game)[number]
    monkeypatch.setattr(pool.StartMaker, "_played", SimpleNamespace(many=lambda rngs: [state for _ in rngs]))
    with pytest.raises(ValueError, match="start"):
        pool.StartMaker(game, 0)([0, 1])


def test_random_declarations_are_a_start_of_games_that_have_them() -> None:
    source = start_source(get_game("skat"), "random_declaration", "rule")
    starts = starts_of("skat", source, [np.random.default_rng(seed) for seed in range(40)])
    assert {state.stage for state in starts} == {"cardplay"}
    assert len({state.contract for state in starts}) > 3
    again = starts_of("skat", source, [np.random.default_rng(seed) for seed in range(40)])
    assert [state.text() for state in starts] == [state.text() for state in again]
    with pytest.raises(UnknownName, match="start 'random_declaration'"):
        start_source(get_game("klaverjas"), "random_declaration", "rule")
    with pytest.raises(UnknownName, match="start"):
        start_source(get_game("skat"), "random_declaration", "rule", kind="suit")


@both_games
@pytest.mark.parametrize(
    ("bidder", "message"),
    [
        ("rlue", "unknown agent for .* 'rlue': did you mean 'rule'"),
        ("rule(x=3)", "unknown option of agent 'rule' 'x'"),
    ],
)
def test_a_bidder_is_checked_where_an_environment_is_made(game: str, bidder: str, message: str) -> None:
    makers: list[Callable[..., Any]] = [
        lambda **options: raw_env(get_game(game), **options),
        lambda **options: SingleSeatEnv(game, **options),
        lambda **options: SeatVectorEnv(game, **options),
        lambda **options: SelfPlayVector(game, 2, **options),
        lambda **options: start_source(get_game(game), **options),
    ]
    for make in makers:
        for start in ("deal", "cardplay"):
            with pytest.raises(UnknownName, match=message):
                make(start=start, bidder=bidder)
    with pytest.raises(UnknownName, match="unknown agent for skat 'rlue'"):
        PlayedTo("skat", "cardplay", "rlue")


@pytest.mark.parametrize(
    "source", [RandomDeals("skat"), PlayedTo("skat", "cardplay", "rule"), RandomDeclarations("skat")]
)
def test_a_source_of_another_game_is_refused(source: Any) -> None:
    assert start_source(get_game("skat"), source, "rule") is source
    with pytest.raises(
        OptionError, match="a game of klaverjas with a start of skat: expected one of klaverjas"
    ):
        start_source(get_game("klaverjas"), source, "rule")
