"""Best responses in the last tricks: what they promise is what then happens, in every world."""

import numpy as np
import pytest

from skat_env.agents.search import ending_response
from skat_env.agents.search.ending_response import EndingResponse
from skat_env.beliefs.belief import Belief, UniformSampler
from skat_env.play.starts import PlayedTo
from skat_env.protocols import Agent, State, View
from skat_env.registry import get_game, get_part, make_agent
from tests.helpers.plain_endings import value_of
from tests.helpers.scripted import Lowest

both_games = pytest.mark.parametrize("game", ["skat", "klaverjas"])


def late(game: str, tricks: int, seed: int) -> State:
    """A position with some tricks left, a choice, and more than one world."""
    about = get_game(game)
    rng = np.random.default_rng(seed)
    while True:
        state = PlayedTo(game, about.stages[-1], "rule")(rng)
        left = about.place_sizes[0] - tricks
        while not state.is_over and (state.tricks_played < left or len(state.legal_actions()) < 2):
            state.apply(int(rng.choice(state.legal_actions())))
        if not state.is_over and Belief(state.view(state.to_act)).count > 1:
            return state


def outcome_of(game: str, world: State, agent: Agent, seat: int, first: int | None = None) -> float:
    """What the seat's side gets in a world if the seat plays as the agent and the others their lowest cards."""
    state, rng = world.clone(), np.random.default_rng(0)
    *_, outcome = get_part(game, "endings")(state).values()
    side = 1 if state.side(seat) == 0 else -1
    lowest = Lowest()
    while not state.is_over:
        player = agent if state.to_act == seat else lowest
        card = player.decide(state.view(state.to_act), rng).action if first is None else first
        state.apply(card)
        first = None
    return side * value_of(outcome, state)


@both_games
@pytest.mark.parametrize("seed", range(6))
def test_what_it_promises_happens_on_average(game: str, seed: int) -> None:
    # With two tricks left there is one choice, so that no later belief matters.
    state = late(game, 2, seed)
    view, seat = state.view(state.to_act), state.to_act
    agent = EndingResponse("random", model=Lowest(), game=game)
    rng = np.random.default_rng(0)
    decision = agent.decide(view, rng)
    belief = Belief(view)
    worlds = [belief.state(row, rng) for row in np.concatenate([*belief.enumerate()])]
    assert decision.stats["worlds"] == len(worlds)
    for card, value in decision.stats["means"].items():
        found = np.mean([outcome_of(game, world, agent, seat, card) for world in worlds])
        assert found == pytest.approx(value), card
    assert decision.value == max(decision.stats["means"].values())
    assert decision.stats["means"][decision.action] == decision.value


def test_nothing_is_better_against_the_model() -> None:
    state = late("skat", 2, 11)
    view, seat = state.view(state.to_act), state.to_act
    agent = EndingResponse("random", model=Lowest(), game="skat")
    belief = Belief(view)
    rng = np.random.default_rng(0)
    worlds = [belief.state(row, rng) for row in np.concatenate([*belief.enumerate()])]
    best = np.mean([outcome_of("skat", world, agent, seat) for world in worlds])
    for other in ["rule", "policy", "pimc(worlds=20)"]:
        player = make_agent(other, "skat")
        assert np.mean([outcome_of("skat", world, player, seat) for world in worlds]) <= best + 1e-9


@both_games
def test_the_player_decides_before_and_what_is_too_large(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = EndingResponse("rule", tricks=2, model="rule", game=game)
    rule = make_agent("rule", game)
    rng = np.random.default_rng(0)
    early = late(game, 5, 1)
    view = early.view(early.to_act)
    assert agent.decide(view, rng).action == rule.decide(view, rng).action
    assert not agent.decide(view, rng).stats.get("worlds")
    state = late(game, 2, 3)
    view = state.view(state.to_act)
    assert agent.decide(view, rng).stats["worlds"] > 1
    assert [each.action for each in agent.decide_many([view], [rng])] == [agent.decide(view, rng).action]
    monkeypatch.setattr(ending_response, "PAIRS", 1)
    assert agent.decide(view, rng).action == rule.decide(view, rng).action


def test_where_worlds_are_too_many_the_belief_is_not_asked() -> None:
    class Unasked(UniformSampler):
        def posterior(self, view: View, rng: np.random.Generator) -> Belief:
            raise AssertionError("it has been asked")

    rng = np.random.default_rng(0)
    state = PlayedTo("klaverjas", "cardplay", "rule")(rng)
    view = state.view(state.to_act)
    while Belief(view).count != 34_650 or len(view.legal_actions()) < 2:
        if len(state.plays()) > 16:
            state = PlayedTo("klaverjas", "cardplay", "rule")(rng)
        state.apply(int(rng.choice(state.legal_actions())))
        view = state.view(state.to_act)
    agent = EndingResponse("rule", tricks=4, model="rule", belief=Unasked(), game="klaverjas")
    decision = agent.decide(view, rng)
    assert decision.action == make_agent("rule", "klaverjas").decide(view, rng).action
    assert not decision.stats.get("worlds")


def test_the_name_says_all() -> None:
    agent = make_agent("ending_response(player=rule, tricks=2, model=rule, belief=locations)", "skat")
    assert agent.name == "ending_response(player=rule, tricks=2, model=rule, belief=locations)"
    assert make_agent("ending_response", "klaverjas").batched


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"tricks": 5}, "tricks=5"),
        ({"player": "pimc(worlds=2, belief=cheating)"}, "a player that cheats"),
        ({"belief": "cheating"}, "belief=cheating: it has no probabilities"),
        ({"model": "ismcts(simulations=10)"}, "remembers its games"),
        ({"model": "pimc(worlds=2, belief=cheating)"}, "sees all cards"),
    ],
)
def test_bad_options_are_one_sentence(options: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        EndingResponse(**options, game="skat")  # type: ignore[arg-type]
