"""Starts that leave a seat nothing to play end in one sentence instead of endless deals."""

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest

from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.envs.single_seat import SingleSeatEnv
from skat_env.errors import OptionError
from skat_env.play.starts import MAX_REDEALS, PlayedTo
from skat_env.registry import get_game

both_games = pytest.mark.parametrize("game", ["skat", "klaverjas"])
NO_TURN = r"seat \d has no turn in 1,000 deals in a row"


def last_card(game: str) -> Any:
    """A position in which one card is left to play."""
    rng = np.random.default_rng(3)
    start = PlayedTo(game, "cardplay", "random")
    while True:
        state, before = start(rng), None
        while not state.is_over:
            before = state.clone()
            state.apply(int(rng.choice(state.legal_actions())))
        if before is not None and before.view(before.to_act).hand.bit_count() == 1:
            return before


def seats_of(game: str) -> tuple[Any, int, int]:
    """A start with its only seat that has a turn, and one that has none."""
    state = last_card(game)
    return state, state.to_act, (state.to_act + 1) % len(get_game(game).seats)


@both_games
def test_one_game(game: str) -> None:
    state, mine, other = seats_of(game)
    asked: list[int] = []

    def start(rng: np.random.Generator) -> Any:
        asked.append(1)
        return state.clone()

    with pytest.raises(ValueError, match=NO_TURN):
        SingleSeatEnv(game, seat=other, start=start).reset(seed=0)
    assert len(asked) == MAX_REDEALS
    assert SingleSeatEnv(game, seat=mine, start=start).reset(seed=0)
    assert SingleSeatEnv(game, start=start).reset(seed=0)[1] == {"seat": mine}


@both_games
@pytest.mark.parametrize("opponents", ["random", "rule"])
def test_many_games(game: str, opponents: str) -> None:
    state, mine, other = seats_of(game)

    def made(seat: int | None) -> SeatVectorEnv:
        return SeatVectorEnv(game, 2, seat=seat, opponents=opponents, start=lambda rng: state.clone())

    with pytest.raises(ValueError, match=NO_TURN):
        made(other).reset(seed=0)
    for seat in (mine, None):
        environment = made(seat)
        environment.reset(seed=0)
        masks = environment.action_masks()
        assert masks.sum(1).tolist() == [1, 1]
        assert environment.step(masks.argmax(1))[2].all()
    begins = [get_game(game).state.random(np.random.default_rng(0))]
    environment = SeatVectorEnv(game, 2, seat=other, opponents=opponents, start=lambda rng: begins[0].clone())
    environment.reset(seed=0)
    begins[0] = state
    with pytest.raises(ValueError, match=NO_TURN):
        environment.reset(seed=1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        environment.step(np.zeros(2, np.int64))


@both_games
@pytest.mark.parametrize("opponents", ["random", "rule"])
def test_new_starts_of_the_sb3_environment(game: str, opponents: str) -> None:
    sb3 = pytest.importorskip("skat_env.envs.sb3", reason="needs the extra 'learn'")
    state, mine, other = seats_of(game)

    def played_on(seat: int) -> Callable[[], None]:
        environment = sb3.Sb3VecEnv(game, 2, seat=seat, opponents=opponents, start="deal")
        environment.reset()
        environment.set_starts([state])

        def play() -> None:
            for _ in range(100):
                environment.step(environment.action_masks().argmax(1))

        return play

    with pytest.raises(ValueError, match=NO_TURN):
        played_on(other)()
    played_on(mine)()


def test_no_starts_are_refused() -> None:
    sb3 = pytest.importorskip("skat_env.envs.sb3", reason="needs the extra 'learn'")
    with pytest.raises(OptionError, match=r"set_starts with states=\[\]: expected at least one start"):
        sb3.Sb3VecEnv("skat", 2, start="deal").set_starts([])
