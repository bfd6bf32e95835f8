"""Calls by worlds played out: against plain slow twins; one plan for the game and both discards."""

import pickle
from itertools import combinations

import numpy as np
import pytest

from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.skat.bidding.search_calls import SearchCalls
from skat_env.agents.skat.game_values import GAMES, declarable
from skat_env.agents.skat.policy.declared_values import DeclaredValues
from skat_env.beliefs.belief import UniformSampler
from skat_env.cards import cards_of, mask_of
from skat_env.play.deadline import Deadline, under
from skat_env.play.players import Players
from skat_env.registry import make_agent
from skat_env.skat import GAME, SkatState, SkatView
from skat_env.skat.rules import ANNOUNCE, DECLARE, NUM_SEATS, PASS, PICK_UP, YES, Contract, Phase

SEEDS = range(4)


def picked_up(seed: int) -> SkatState:
    """Middlehand plays at 18 and has picked up the skat."""
    state = SkatState.random(np.random.default_rng(seed))
    for action in (YES, 32, 32, PICK_UP):
        state.apply(action)
    assert state.phase == Phase.CONTRACT
    return state


def declared_by(agent: SearchCalls, state: SkatState) -> SkatState:
    """The state after the agent's declaration and discards."""
    state = state.clone()
    while state.phase != Phase.PLAY:
        state.apply(agent.decide(state.view(state.to_act), np.random.default_rng(0)).action)
    return state


def plan_of(state: SkatState) -> tuple[int, int, int]:
    """The contract, the announcement and the discards of a declared game."""
    return state.contract, state.announcement, state.skat


def candidates(view: SkatView) -> list[tuple[float, int, int]]:
    """Every game with every pair of discards: value, number of the game, pair."""
    values = DeclaredValues(load_checkpoint("skat-policy", "skat"))
    pairs = [mask_of(pair) for pair in combinations(cards_of(view.hand | view.skat), 2)]
    return [
        (float(values.of_pairs(view, GAMES[game], np.array([pair], np.uint32))[0, 0]), int(game), pair)
        for game in np.flatnonzero(declarable(GAMES, [view])[0])
        for pair in pairs
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_without_worlds_the_highest_value_is_declared(seed: int) -> None:
    state = picked_up(seed)
    _, game, pair = max(candidates(state.view(1)), key=lambda each: each[0])
    played = declared_by(SearchCalls(2, played_out=0.0), state)
    assert plan_of(played) == (GAMES[game].contract, GAMES[game].announcement, pair)


@pytest.mark.parametrize("seed", SEEDS)
def test_it_declares_as_a_slow_twin(seed: int) -> None:
    """Every world of every candidate is played out by itself."""
    state, share, worlds = picked_up(seed), 0.5, 12
    view = state.view(1)
    best = sorted(candidates(view), key=lambda each: -each[0])[:6]
    rng = np.random.default_rng([1, view.hand | view.skat])
    tables = [world.state for world in UniformSampler().worlds(view, worlds, rng)]
    players, worths = Players(GAME, [make_agent("policy", "skat")]), []
    for value, game, pair in best:
        played = []
        for table in tables:
            one = table.clone()
            one.apply(DECLARE + GAMES[game].contract)
            if one.phase == Phase.ANNOUNCE:
                one.apply(ANNOUNCE + GAMES[game].announcement)
            for card in cards_of(pair):
                one.apply(card)
            players.play([one], lambda _, seat: np.random.default_rng(seat))
            points = one.returns("tournament_points")
            played.append(points[1] - (points[0] + points[2]) / (NUM_SEATS - 1))
        worths.append(share * np.mean(played) + (1 - share) * value)
    _, game, pair = best[int(np.argmax(worths))]
    agent = SearchCalls(worlds, candidates=6, played_out=share, race=None)
    assert plan_of(declared_by(agent, state)) == (GAMES[game].contract, GAMES[game].announcement, pair)
    first = agent.decide(view, np.random.default_rng(5))
    assert first.value == pytest.approx(max(worths))


@pytest.mark.parametrize("seed", SEEDS)
def test_an_agent_that_joins_late_goes_on_with_the_same_plan(seed: int) -> None:
    state = picked_up(seed)
    whole = plan_of(declared_by(SearchCalls(20), state))
    while state.phase != Phase.PLAY:
        state.apply(SearchCalls(20).decide(state.view(1), np.random.default_rng(state.phase)).action)
    assert plan_of(state) == whole


def test_a_hurried_plan_is_that_of_its_game_alone() -> None:
    agent, differ = SearchCalls(80), 0
    for seed in range(3):
        state = picked_up(seed)
        with under(Deadline(0.0)):
            hurried = agent.decide(state.view(1), np.random.default_rng(0))
            plan = plan_of(declared_by(SearchCalls(80), state))
        # With more time later in the game, its discards are still those of the plan.
        declared = state.clone()
        declared.apply(hurried.action)
        assert plan_of(declared_by(agent, declared)) == plan
        whole = agent.decide(state.view(1), np.random.default_rng(0))
        fresh = SearchCalls(80).decide(state.view(1), np.random.default_rng(0))
        assert (whole.action, whole.value) == (fresh.action, fresh.value)
        with under(Deadline(0.0)):
            assert agent.decide(state.view(1), np.random.default_rng(0)).value == fresh.value
        differ += hurried.value != fresh.value
    assert differ


def test_a_copy_carries_no_plans() -> None:
    agent = SearchCalls(2)
    fresh = pickle.dumps(agent)
    agent.decide(picked_up(0).view(1), np.random.default_rng(0))
    assert len(pickle.dumps(agent)) == len(fresh)


def test_many_views_are_decided_as_each_alone() -> None:
    agent, states = SearchCalls(8), [picked_up(seed) for seed in SEEDS]
    states += [SkatState.random(np.random.default_rng(seed)) for seed in SEEDS]
    views = [state.view(state.to_act) for state in states]
    together = agent.decide_many(views, [np.random.default_rng(0) for _ in views])
    alone = [SearchCalls(8).decide(view, np.random.default_rng(0)) for view in views]
    assert [each.action for each in together] == [each.action for each in alone]
    assert [each.value for each in together] == [each.value for each in alone]


def test_where_another_game_was_declared_the_inner_agent_discards() -> None:
    for seed in SEEDS:
        state = picked_up(seed)
        planned = declared_by(SearchCalls(8, inner="rule"), state).contract
        other = Contract.SPADES if planned != Contract.SPADES else Contract.HEARTS
        state.apply(DECLARE + other)
        assert state.phase == Phase.DISCARD
        view = state.view(1)
        decisions = [
            agent.decide(view, np.random.default_rng(0))
            for agent in (SearchCalls(8, inner="rule"), make_agent("rule", "skat"))
        ]
        assert decisions[0].action == decisions[1].action


def test_the_rest_of_the_game_is_the_inner_agents() -> None:
    agent, inner = SearchCalls(8), make_agent("policy", "skat")
    for seed in SEEDS:
        state = SkatState.random(np.random.default_rng(seed))
        while not state.is_over:
            view = state.view(state.to_act)
            found = agent.decide(view, np.random.default_rng(0))
            if state.phase not in (Phase.CONTRACT, Phase.ANNOUNCE, Phase.DISCARD) or state.hand_game:
                assert found.action == inner.decide(view, np.random.default_rng(0)).action
            state.apply(found.action)


@pytest.mark.parametrize("boldness", [0.0, 30.0])
@pytest.mark.parametrize("actions", [(), (YES,), (YES, PASS, PASS)])
@pytest.mark.parametrize("seed", SEEDS)
def test_close_bids_and_pick_ups_are_those_of_a_slow_twin(
    seed: int, actions: tuple[int, ...], boldness: float
) -> None:
    state, share, worlds = SkatState.random(np.random.default_rng(seed)), 0.7, 12
    for action in actions:
        state.apply(action)
    view, inner = state.view(state.to_act), make_agent("policy", "skat")
    values = inner.decide(view, np.random.default_rng(0)).stats["values"]
    tables = [world.state for world in UniformSampler().worlds(view, worlds, np.random.default_rng(7))]
    players, worths = Players(GAME, [inner]), {}
    for action, value in values.items():
        played = []
        for table in tables:
            one = table.clone()
            one.apply(action)
            players.play([one], lambda _, seat: np.random.default_rng(seat))
            points = one.returns("tournament_points")
            played.append(points[view.seat] - (sum(points) - points[view.seat]) / (NUM_SEATS - 1))
            played[-1] += boldness * (one.soloist == view.seat)
        value += boldness * (action == YES and state.phase != Phase.PICK_UP)
        worths[action] = share * np.mean(played) + (1 - share) * value
    agent = SearchCalls(worlds, close=1000, boldness=boldness, played_out=share, race=None)
    found = agent.decide(view, np.random.default_rng(7))
    assert found.stats["values"] == pytest.approx(worths)
    assert found.action == max(worths, key=lambda action: worths[action])
    assert found.value == pytest.approx(max(worths.values()))


def test_a_pick_up_that_is_not_close_is_the_inner_agents() -> None:
    """Also where the inner agent leaves out a game that it values more."""
    inner, agent, differ = make_agent("policy", "skat"), SearchCalls(2), 0
    for seed in range(300):
        state = SkatState.random(np.random.default_rng(seed))
        for action in (YES, 32, 32):
            state.apply(action)
        own = inner.decide(view := state.view(state.to_act), np.random.default_rng(0))
        assert agent.decide(view, np.random.default_rng(0)).action == own.action
        values = own.stats["values"]
        differ += own.action != max(values, key=values.__getitem__)
    assert differ


def test_worlds_change_close_bids_alone() -> None:
    """Those of an agent that values none stay too."""
    inner, changed = make_agent("policy", "skat"), 0
    agents = [SearchCalls(8, close=close) for close in (0, 10, 1000)]
    for seed in range(20):
        view = SkatState.random(np.random.default_rng(seed)).view(1)
        own = inner.decide(view, np.random.default_rng(0))
        lead = abs(own.stats["values"][YES] - own.stats["values"][PASS])
        none, some, every = (agent.decide(view, np.random.default_rng(0)) for agent in agents)
        assert none.stats == own.stats
        assert none.action == own.action
        assert some.stats == (every.stats if lead < 10 else own.stats)
        changed += every.action != own.action
        rule = make_agent("rule", "skat").decide(view, np.random.default_rng(0)).action
        assert SearchCalls(8, inner="rule", close=1000).decide(view, np.random.default_rng(0)).action == rule
    assert changed


def test_without_close_bids_and_boldness_the_inner_agent_bids() -> None:
    """Also one that does not play what it values most."""
    inner = make_agent("exploring(agent=policy, share=0, random_bids=1)", "skat")
    agent, differ = SearchCalls(2, inner=inner), 0
    for seed in range(20):
        view = SkatState.random(np.random.default_rng(seed)).view(1)
        own = inner.decide(view, np.random.default_rng(seed))
        assert agent.decide(view, np.random.default_rng(seed)).action == own.action
        differ += own.action != max(own.stats["values"], key=own.stats["values"].__getitem__)
    assert differ


def test_boldness_takes_games_by_values_too() -> None:
    """As that of `policy`, where no bid is played out."""
    inner, bold = make_agent("policy", "skat"), SearchCalls(2, boldness=20)
    seen = set()
    for seed in range(40):
        view, rng = SkatState.random(np.random.default_rng(seed)).view(1), np.random.default_rng(0)
        action = bold.decide(view, rng).action
        assert action == make_agent("policy(boldness=20)", "skat").decide(view, rng).action
        seen.add((action, inner.decide(view, rng).action))
    assert seen == {(YES, YES), (YES, PASS), (PASS, PASS)}


@pytest.mark.parametrize("options", ["inner=pimc(belief=cheating)", "belief=cheating"])
def test_nothing_of_it_cheats(options: str) -> None:
    with pytest.raises(ValueError, match="which cheats: expected one that sees a view alone"):
        make_agent(f"search_calls({options})", "skat")
