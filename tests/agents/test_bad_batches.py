"""Every public call that takes many states or views at once, with batches that it must refuse, or answer as if each
were an object of its own: never a crash, never an error from inside."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from skat_env.agents.search.tree._worlds import Worlds
from skat_env.encoders import encoders_of
from skat_env.play.capabilities import decide_many
from skat_env.play.lanes import lane_players, play_in_lanes
from skat_env.play.lockstep import play_games
from skat_env.play.players import Players
from skat_env.play.starts import PlayedTo
from skat_env.registry import get_game, make_agent
from skat_env.solvers.endings.ending import Ending

pytest.importorskip("torch", reason="networks need the extra 'learn'")

from skat_env.agents.learners.experience._actors import pack
from skat_env.agents.networks.world_values import WorldValues
from skat_env.agents.search.rollouts import Rollouts

GAMES = ("skat", "klaverjas")
SOLVERS = {game: __import__(f"skat_env.solvers.{game}", fromlist=["Solver"]) for game in GAMES}
OTHER = {"skat": "klaverjas", "klaverjas": "skat"}


def rng_of(number: int, seat: int) -> np.random.Generator:
    return np.random.default_rng([number, seat])


def start(game: str, seed: int = 1) -> Any:
    return PlayedTo(game, "cardplay", "rule")(np.random.default_rng(seed))


def finished(game: str) -> Any:
    state = start(game)
    Players(get_game(game), [make_agent("random", game)]).play([state], rng_of)
    return state


def in_lanes(game: str, states: list[Any]) -> Any:
    agent = make_agent("policy", game)
    seated = np.zeros((len(states), len(get_game(game).seats)), np.int16)
    play_in_lanes(states, [agent], lane_players([agent]), seated, rng_of, get_game(game).stages)
    return [state.text() for state in states]


def in_step(game: str, agent: str, states: list[Any]) -> Any:
    seats = range(len(get_game(game).seats))
    made = make_agent(agent, game)
    play_games(
        states, [[made for _ in seats] for _ in states], [[rng_of(0, seat) for seat in seats] for _ in states]
    )
    return [state.text() for state in states]


def rollouts(game: str, states: list[Any]) -> Any:
    return Rollouts("policy", game).results(states, start(game).legal_actions()[:2], 0).tolist()


def encoded(game: str, states: list[Any]) -> Any:
    return [each.encode(states).tolist() for each in encoders_of(game) if each.name.endswith("world")]


def drawn(game: str, states: list[Any]) -> Any:
    view = start(game).view(start(game).to_act)
    return Worlds(view, view.seat, False, states).__class__.__name__


def solved(game: str, states: list[Any]) -> Any:
    return [str(each) for each in SOLVERS[game].Solver().solve_many(states)]


def ended(game: str, states: list[Any]) -> Any:
    return Ending(states, game=game).tricks


def viewed(agent: str) -> Callable[[str, list[Any]], Any]:
    def ask(game: str, states: list[Any]) -> Any:
        rngs = [np.random.default_rng(0) for _ in states]
        return [each.action for each in decide_many(make_agent(agent, game), states, rngs)]

    return ask


OF_STATES: dict[str, Callable[[str, list[Any]], Any]] = {
    "play_in_lanes": in_lanes,
    "play_games of a batch agent": lambda game, states: in_step(game, "policy", states),
    "play_games": lambda game, states: in_step(game, "rule", states),
    "Players": lambda game, states: (
        Players(get_game(game), [make_agent("random", game)]).play(states, rng_of) and None
    ),
    "Rollouts.results": rollouts,
    "WorldValues.worths": lambda game, states: WorldValues(game).worths(states).tolist(),
    "WorldValues.values": lambda game, states: np.array(WorldValues(game).values(states)).tolist(),
    "Encoder.encode": encoded,
    "Worlds": drawn,
    "Solver.solve_many": solved,
    "Ending": ended,
    "pack": lambda game, states: pack(states).tolist(),
}
OF_VIEWS: dict[str, Callable[[str, list[Any]], Any]] = {
    f"{name}.decide_many": viewed(name)
    for name in ("policy", "exploring(agent=policy)", "hybrid(policy=policy, search=rule, trick=5)")
}
REFUSED = (ValueError, TypeError)
"""What may be raised: with one sentence of what is wrong."""
CHANGES = ("play_in_lanes", "play_games", "Players", "WorldValues.worths")
"""Calls that change the states: an object that is there twice is refused."""
OF_ANY_GAME = ("pack", "play_games", "play_games of a batch agent")


def bad_batches(call: str, game: str) -> dict[str, list[Any]]:
    state = start(game)
    return {
        "a view beside a state": [state, state.view(state.to_act)],
        "a view": [state.view(state.to_act)],
        "another game's": [state, start(OTHER[game])],
        **({} if call in OF_ANY_GAME else {"another game's alone": [start(OTHER[game])]}),
        "None": [state, None],
        "a text": [state.text()],
        "a number": [7],
    }


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("call", OF_STATES)
def test_batches_of_states_that_are_none_are_refused(call: str, game: str) -> None:
    for what, batch in bad_batches(call, game).items():
        with pytest.raises(REFUSED) as refusal:
            OF_STATES[call](game, batch)
        assert str(refusal.value), (call, what)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("call", OF_STATES)
def test_a_state_that_is_there_twice(call: str, game: str) -> None:
    state, twin = start(game), start(game)
    if call.startswith(CHANGES):
        with pytest.raises(ValueError, match=r"games 0 and 1 are the same object: expected a State each"):
            OF_STATES[call](game, [state, state])
        assert state == twin
    else:
        assert OF_STATES[call](game, [state, state]) == OF_STATES[call](game, [state, twin])


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("call", OF_STATES)
def test_finished_games_and_empty_batches_are_answered_or_refused(call: str, game: str) -> None:
    for batch in ([finished(game)], [start(game), finished(game)], []):
        try:
            OF_STATES[call](game, batch)
        except REFUSED as error:
            assert str(error)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("call", OF_VIEWS)
def test_batches_of_views(call: str, game: str) -> None:
    view = start(game).view(start(game).to_act)
    assert OF_VIEWS[call](game, [view, view]) == OF_VIEWS[call](game, [view]) * 2
    other = start(OTHER[game])
    for batch in (
        [view, start(game)],
        [view, other.view(other.to_act)],
        [finished(game).view(0)],
        [None],
        ["?"],
    ):
        try:
            OF_VIEWS[call](game, batch)
        except (*REFUSED, AttributeError) as error:
            assert str(error)
