"""What games are worth to a side, against the games' own differences; what networks promise, against what came."""

from typing import Any

import numpy as np
import pytest

from skat_env.play.capabilities import decide_many
from skat_env.play.lockstep import play_games
from skat_env.play.starts import PlayedTo, draw_starts
from skat_env.play.worth import own_results, side_values, side_weights
from skat_env.registry import get_game, make_agent
from tests.helpers.worth import declarer_worth

GAMES = ("skat", "klaverjas")


def finished(game: str, count: int, seed: int) -> list[Any]:
    """Games played to the end at random."""
    rng, kept = np.random.default_rng(seed), []
    while len(kept) < count:
        state: Any = get_game(game).state.random(rng)
        while not state.is_over:
            state.apply(int(rng.choice(state.legal_actions())))
        if state.declarer >= 0:
            kept.append(state)
    return kept


@pytest.mark.parametrize("game", GAMES)
def test_own_results_are_those_of_the_declaring_side_or_their_negative(game: str) -> None:
    states = finished(game, 20, 1)
    expected = np.array([declarer_worth(state) for state in states])
    for seat in range(len(states[0].hands)):
        signs = np.array([1 if state.side(seat) == 0 else -1 for state in states])
        assert own_results(get_game(game), states, seat).tolist() == (signs * expected).tolist()
    returns = np.array([state.returns(get_game(game).match_unit) for state in states])
    declarers = np.array([state.declarer for state in states], np.int8)
    assert side_values(returns, declarers, get_game(game)).tolist() == expected.tolist()


def test_weights_of_results() -> None:
    assert side_weights(get_game("skat")) == (1, -1, -1)
    assert side_weights(get_game("klaverjas")) == (0.5, -0.5, 0.5, -0.5)


def test_a_game_that_all_pass_is_worth_nothing() -> None:
    state: Any = get_game("skat").state.random(np.random.default_rng(0))
    while not state.is_over:
        state.apply(state.legal_actions()[0])
    assert state.declarer == -1
    assert own_results(get_game("skat"), [state], 0).tolist() == [0]


@pytest.mark.parametrize("game", GAMES)
def test_values_of_networks_are_in_the_unit_of_results(game: str) -> None:
    """The slope of results on values before the first card, in games that nobody has learnt from, is about 1."""
    pytest.importorskip("torch", reason="networks need the extra 'learn'")
    from skat_env.agents.networks.world_values import WorldValues

    about, policy = get_game(game), make_agent("policy", game)
    states = draw_starts(game, PlayedTo(game, "cardplay", "policy"), 600, 7001)
    promised = {"world": WorldValues(game).worths([state.clone() for state in states])}
    rngs = [np.random.default_rng(seed) for seed in range(len(states))]
    if game == "klaverjas":  # Skat's policies have no value
        views = [state.view(state.to_act) for state in states]
        values = np.array([decision.value for decision in decide_many(policy, views, rngs)])
        promised["policy"] = np.where([view.side(view.seat) == 0 for view in views], values, -values)
    play_games(states, [[policy] * len(about.seats)] * 600, [[rng] * len(about.seats) for rng in rngs])
    results = np.array([declarer_worth(state) for state in states])
    for name, values in promised.items():
        assert 0.75 < np.cov(results, values)[0, 1] / values.var() < 1.3, name
