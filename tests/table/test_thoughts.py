"""What agents think, as pages get it: it equals the decision and the belief, and holds nothing that a seat cannot know."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skat_env.beliefs.belief import Belief, UniformSampler
from skat_env.cards import cards_of
from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.protocols import Game
from skat_env.registry import make_agent, make_belief
from skat_env.skat import GAME as SKAT
from skat_env.table.thoughts import believe, think
from tests.conftest import klaverjas_positions, random_games, skat_positions

GAMES = {"skat": SKAT, "klaverjas": KLAVERJAS}
POSITIONS = {"skat": skat_positions(), "klaverjas": klaverjas_positions()}
BELIEFS = ("uniform", "locations", "thesis", "policy(k=50)")

AGENTS = {
    name: [make_agent(each, name) for each in ("policy", "pimc(worlds=3, belief=locations, bidder=rule)")]
    for name in GAMES
}
LOCATIONS = {name: make_belief("locations", name) for name in GAMES}

both_games = pytest.mark.parametrize("name", list(GAMES))


def middle(game: Game, seed: int, plays: int = 9) -> Any:
    """A position of the cardplay of a random game, in which there is something to choose."""
    for state in random_games(game, 30, seed):
        while len(state.plays()) > plays:
            state.undo()
        if len(state.plays()) == plays and len(state.legal_actions()) > 2:
            return state
    raise AssertionError("there is no such game")


@both_games
def test_thoughts_are_those_of_the_decision(name: str) -> None:
    game, agent = GAMES[name], make_agent("pimc(worlds=12, belief=locations, bidder=rule)", name)
    state = middle(game, 1)
    view = state.view(state.to_act)
    decision = agent.decide(view, np.random.default_rng(5))
    told = think(game, view, agent, seed=5)
    assert told["action"] == decision.action
    assert told["label"] == game.label(state, decision.action)
    assert told["value"] == pytest.approx(decision.value)
    assert told["stats"]["worlds"] == decision.stats["worlds"]
    assert sorted(each["action"] for each in told["actions"]) == view.legal_actions()
    for each in told["actions"]:
        assert each["weight"] == pytest.approx(float(decision.weights[each["action"]]))
        assert each["value"] == pytest.approx(decision.stats["means"][each["action"]])
    assert told["unit"] == agent.objective.name
    assert told["belief"]["name"] == "locations"
    assert told["course"] == [{"number": len(view.history()), "value": told["value"], "unit": told["unit"]}]
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    earlier = [{"number": 2, "value": 0.25}]
    again = think(game, view, agent, decision=decision, course=earlier, seed=5)
    assert again["course"] == [*earlier, *told["course"]]
    assert {**again, "course": told["course"]} == told


@both_games
@pytest.mark.parametrize("belief", BELIEFS)
def test_the_heat_map_is_the_belief(name: str, belief: str) -> None:
    game, state = GAMES[name], middle(GAMES[name], 3)
    seat = state.to_act
    view, sampler = state.view(seat), make_belief(belief, name)
    told = believe(game, view, sampler, truth=state, seed=1)
    rules = Belief(view)
    assert sorted(each["card"] for each in told["cards"]) == rules.cards
    assert told["worlds"] == rules.count
    assert [rules.slots[place] for place in told["places"]] == [slots for slots in rules.slots if slots]
    chances = np.array([each["chances"] for each in told["cards"]])
    assert chances.sum(axis=1) == pytest.approx(1)
    assert chances.sum(axis=0) == pytest.approx([rules.slots[place] for place in told["places"]])
    for each in told["cards"]:
        place = told["places"][each["truth"]]
        assert each["card"] in cards_of(state.places[place])
    if belief == "thesis":
        assert told["ratio"] is None
        return
    posterior = sampler.posterior(view, np.random.default_rng(1))
    marginals = posterior.marginals()
    for each in told["cards"]:
        assert each["chances"] == pytest.approx(marginals[each["card"], told["places"]].tolist())
    expected = posterior.probability(rules.row(state)[None])[0] * rules.count
    assert told["ratio"] == pytest.approx(expected)
    assert told["exact"] == (belief in ("uniform", "locations") or rules.count <= 50)
    if belief == "uniform":
        assert told["ratio"] == pytest.approx(1)


@both_games
@given(st.data())
@settings(max_examples=25)
def test_hidden_cards_leave_no_trace(name: str, data: st.DataObject) -> None:
    """The cards that a seat does not see are dealt anew: its thoughts are the same, byte for byte."""
    game, state = GAMES[name], data.draw(POSITIONS[name])
    if state.is_over:
        return
    seat = state.to_act
    view = state.view(seat)
    belief = LOCATIONS[name]
    expected = json.dumps([*(think(game, view, each) for each in AGENTS[name]), believe(game, view, belief)])
    for world in UniformSampler().worlds(view, 2, np.random.default_rng(0)):
        other = world.state.view(seat)
        told = json.dumps(
            [*(think(game, other, each) for each in AGENTS[name]), believe(game, other, belief)]
        )
        assert told == expected
    assert "truth" not in expected


@both_games
def test_the_part_that_decides_is_asked_for_its_belief(name: str) -> None:
    game = GAMES[name]
    agent = make_agent(
        "player(bidding=rule, cardplay=hybrid(policy=rule, search=pimc(belief=locations, worlds=4), trick=2))",
        name,
    )
    early, late = middle(game, 5, 1), middle(game, 5, 3 * len(game.seats))
    assert think(game, early.view(early.to_act), agent)["belief"]["name"] == "uniform"
    assert think(game, late.view(late.to_act), agent)["belief"]["name"] == "locations"
    fresh = game.state.random(np.random.default_rng(0), game.rules())
    assert think(game, fresh.view(fresh.to_act), agent)["belief"]["name"] == "uniform"


@both_games
def test_what_needs_the_true_cards_is_refused(name: str) -> None:
    game, state = GAMES[name], middle(GAMES[name], 7)
    view = state.view(state.to_act)
    with pytest.raises(ValueError, match="needs the true cards"):
        think(game, view, make_agent("pimc(worlds=1, belief=cheating)", name))
    with pytest.raises(ValueError, match="needs the true cards"):
        believe(game, view, make_belief("cheating", name))
    with pytest.raises(ValueError, match="is not to act"):
        think(game, state.view((state.to_act + 1) % len(game.seats)), make_agent("rule", name))
