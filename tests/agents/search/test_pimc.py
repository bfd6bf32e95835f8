"""PIMC in both games: its votes, and what it is allowed to see."""

from typing import Any

import numpy as np
import pytest

from skat_env.agents.random import RandomAgent
from skat_env.agents.search.pimc import Pimc, lead, merged
from skat_env.beliefs.belief import Belief, UniformSampler
from skat_env.errors import UnknownName
from skat_env.play.lockstep import play_game
from skat_env.protocols import World
from skat_env.registry import get_game, make_agent
from skat_env.skat import GAME, SkatState
from skat_env.solvers import brute_force
from tests.helpers import minimax
from tests.helpers.choices import choice

both_games = pytest.mark.parametrize("game", ["skat", "klaverjas"])


def pimc(game: str, **options: Any) -> Pimc:
    return Pimc(**options, bidder=RandomAgent(), game=game)


def worth(state: Any, objective: str) -> dict[int, int]:
    """What each legal action brings the declaring side, by plain minimax."""
    if objective in ("win", "tournament_points"):
        return brute_force.action_values(state, lambda end: int(end.result().won) if end.is_over else None)
    return minimax.action_values(state, "points" if objective == "points" else objective)


@pytest.mark.parametrize(
    ("game", "objective"),
    [
        ("skat", "win"),
        ("skat", "points"),
        ("skat", "tournament_points"),
        ("klaverjas", "made"),
        ("klaverjas", "difference"),
        ("klaverjas", "final_difference"),
    ],
)
def test_knowing_the_cards_it_plays_perfectly(game: str, objective: str) -> None:
    """With the cheating belief no decision gives anything away, in endings in which one could."""
    rng = np.random.default_rng(1)
    agent = pimc(game, belief="cheating", objective=objective)
    decided = 0
    while decided < 10:
        state = choice(game, rng, 3 if game == "skat" else 2)
        more = state.side(state.to_act) == 0
        if objective == "points":
            more = more == minimax.wants_more(state)
        values = worth(state, objective)
        if len(set(values.values())) == 1:
            continue
        decided += 1
        action = agent.decide_knowing(state.view(state.to_act), state, rng).action
        assert values[action] == (max if more else min)(values.values())


@both_games
def test_only_marked_agents_are_shown_the_state(game: str) -> None:
    cheat = pimc(game, belief="cheating")
    assert cheat.cheats
    assert not pimc(game).cheats
    rng = np.random.default_rng(2)
    state = choice(game, rng, 4)
    with pytest.raises(ValueError, match="true state"):
        cheat.decide(state.view(state.to_act), rng)
    play_game(state, [cheat] * len(get_game(game).seats), [rng] * len(get_game(game).seats))
    assert state.is_over
    mixed = make_agent("player(bidding=random, cardplay=pimc(belief=cheating, bidder=random))", game)
    assert mixed.cheats


@both_games
def test_equal_worlds_are_solved_once(game: str) -> None:
    rng = np.random.default_rng(3)
    state = choice(game, rng, 5)
    worlds = UniformSampler().worlds(state.view(state.to_act), 3, rng)
    states, weights = merged([*worlds, worlds[0], World(worlds[0].state, 2.0)])
    assert len(states) == len(worlds)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] == pytest.approx(4 / (len(worlds) + 3))


@both_games
def test_worlds_count_by_their_weights(game: str) -> None:
    """In the means, and in the shares of worlds in which each action is best, divided equally among equals."""
    rng, differ = np.random.default_rng(10), 0
    for _ in range(8):
        state = choice(game, rng, 4)
        view, actions = state.view(state.to_act), state.legal_actions()
        weights = rng.random(12) + 0.01
        drawn = UniformSampler().worlds(view, 12, rng)
        worlds = [World(each.state, weight) for each, weight in zip(drawn, weights.tolist(), strict=True)]
        agent = pimc(game, objective="points" if game == "skat" else "difference")
        decision = agent.vote(worlds, actions)
        values = agent.objective.values([world.state for world in worlds], actions)
        means = np.average(values, axis=0, weights=weights)
        assert decision.stats["means"] == pytest.approx(dict(zip(actions, means.tolist(), strict=True)))
        assert decision.value == pytest.approx(means.max())
        best = values == values.max(axis=1, keepdims=True)
        shares = np.average(best / best.sum(axis=1, keepdims=True), axis=0, weights=weights)
        assert decision.weights is not None
        assert decision.weights[actions] == pytest.approx(shares, abs=1e-6)
        differ += not np.allclose(means, values.mean(axis=0))
    assert differ


@both_games
def test_a_single_legal_card_is_played_at_once(game: str) -> None:
    class Refusing(UniformSampler):
        def worlds(self, view, n, rng):
            raise AssertionError("no world is needed")

    state = choice(game, np.random.default_rng(4), 4)
    while len(state.legal_actions()) > 1:
        state.apply(state.legal_actions()[0])
    decision = pimc(game, belief=Refusing()).decide(state.view(state.to_act), np.random.default_rng(0))
    assert decision.action == state.legal_actions()[0]


@both_games
def test_small_information_sets_are_enumerated(game: str) -> None:
    state = choice(game, np.random.default_rng(6), 2)
    view = state.view(state.to_act)
    decision = pimc(game, worlds=100_000).decide(view, np.random.default_rng(0))
    assert decision.stats["worlds"] == Belief(view).count > 1


@both_games
def test_decisions_repeat_and_do_not_depend_on_threads(game: str) -> None:
    rng = np.random.default_rng(7)
    for _ in range(2):
        state = choice(game, rng, 7 if game == "skat" else 5)
        view = state.view(state.to_act)
        first, *others = (
            pimc(game, worlds=12, threads=threads).decide(view, np.random.default_rng(1))
            for threads in (1, 1, 2)
        )
        for other in others:
            assert other.action == first.action
            assert other.stats == first.stats
        assert first.weights is not None
        assert first.weights.dtype == np.float32
        assert first.weights.shape == (64,)
        assert first.weights.sum() == pytest.approx(1)
        assert set(np.flatnonzero(first.weights)) <= set(view.legal_actions())


class Told:
    """An objective that prefers high card numbers, or low ones."""

    name = "told"

    def __init__(self, sign: int) -> None:
        self.sign = sign

    def values(self, states, actions):
        return np.array([[float(self.sign * action) for action in actions]] * len(states))


@both_games
def test_a_second_objective_chooses_among_what_is_near_the_best(game: str) -> None:
    rng, chosen = np.random.default_rng(9), 0
    for _ in range(20):
        state = choice(game, rng, 4)
        view = state.view(state.to_act)
        plain = pimc(game, worlds=30).decide(view, np.random.default_rng(1))
        assert plain.value is not None
        actions = {}
        for sign in (1, -1):
            agent = pimc(game, worlds=30, second="rollouts", near=0.0)
            agent._second = Told(sign)  # type: ignore[assignment]
            actions[sign] = agent.decide(view, np.random.default_rng(1)).action
        level = [action for action, mean in plain.stats["means"].items() if mean >= plain.value - 1e-9]
        assert actions == {1: max(level), -1: min(level)}
        agent = pimc(game, worlds=30, second="rollouts", near=1e9)
        agent._second = Told(1)  # type: ignore[assignment]
        wide = agent.decide(view, np.random.default_rng(1)).action
        # An action that is behind by the same in all worlds has no error, so that no patience is enough.
        assert wide >= actions[1]
        chosen += wide != actions[1]
    assert chosen


def test_the_lead_is_that_of_a_weighted_sample() -> None:
    values = np.array([[0.0, 1.0, 5.0], [2.0, 1.0, 1.0], [4.0, 4.0, 0.0]])
    weights = np.array([0.5, 0.25, 0.25])
    leads, errors = lead(weights, values, 0)
    for action in range(3):
        differences = values[:, action] - values[:, 0]
        mean = (weights * differences).sum()
        assert leads[action] == pytest.approx(mean)
        assert errors[action] == pytest.approx(np.sqrt((weights**2 * (differences - mean) ** 2).sum()))
    assert errors[0] == 0


@pytest.mark.parametrize(
    ("spec", "error", "reported"),
    [
        ("pimc(worlds=0)", ValueError, "whole number from 1"),
        ("pimc(threads=0)", ValueError, "whole number from 1"),
        ("pimc(belief=unifrom)", UnknownName, "did you mean 'uniform'"),
        ("pimc(objective=wins)", UnknownName, "did you mean 'win'"),
        ("pimc(bidder=rul)", UnknownName, "did you mean 'rule'"),
        ("pimc(world=3)", UnknownName, "did you mean 'worlds'"),
        ("pimc(second=wins)", UnknownName, "did you mean 'win'"),
        ("pimc(second=win, near=-1)", ValueError, "near"),
        ("search_bidding(threshold=2)", ValueError, "threshold"),
        ("player(bidding=rule)", ValueError, "needs its option 'cardplay'"),
    ],
)
def test_wrong_options_are_reported(spec: str, error: type[Exception], reported: str) -> None:
    with pytest.raises(error, match=reported):
        make_agent(spec, "skat")


@pytest.mark.slow
def test_beats_random_as_soloist_and_as_defender_of_skat() -> None:
    rng = np.random.default_rng(8)
    searcher, other = Pimc(worlds=5, bidder="rule", game="skat"), RandomAgent()
    rule = make_agent("rule", "skat")
    won = {"soloist": 0, "defenders": 0}
    for _ in range(25):
        state = SkatState.new(GAME.random_deal(rng))
        while not state.is_over and state.stage != "cardplay":
            state.apply(rule.decide(state.view(state.to_act), rng).action)
        if state.is_over:
            continue
        for role in won:
            end = state.clone()
            cast = [searcher if (seat == end.soloist) == (role == "soloist") else other for seat in range(3)]
            play_game(end, cast, [rng] * 3)
            won[role] += end.result().won == (role == "soloist")
    assert won["soloist"] >= 20
    assert won["defenders"] >= 12  # random defenders win 7


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["made", "difference", "final_difference"])
def test_beats_random_in_klaverjas(objective: str) -> None:
    rng = np.random.default_rng(8)
    searcher = pimc("klaverjas", worlds=8, objective=objective)
    total = 0
    for _ in range(30):
        state = get_game("klaverjas").state.random(rng)
        for team in (0, 1):
            end = state.clone()
            play_game(end, [searcher if seat & 1 == team else RandomAgent() for seat in range(4)], [rng] * 4)
            total += end.returns()[team]
    assert total / 60 > 15
