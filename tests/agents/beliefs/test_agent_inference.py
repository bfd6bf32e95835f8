"""The belief in what an agent would have done, against a plain replay of every world."""

from typing import Any

import numpy as np
import pytest

from skat_env.agents.beliefs.agent_inference import AgentInference
from skat_env.beliefs.belief import Belief
from skat_env.play.chances import chances
from skat_env.registry import make_agent, make_belief
from tests.helpers.choices import choice
from tests.helpers.scripted import Likely, Lowest, Undecided

both_games = pytest.mark.parametrize("game", ["skat", "klaverjas"])


def likelihood(agent: Any, world: Any, seat: int) -> float:
    """The probability of the cards of all seats but one, replayed from the first trick."""
    plays, state = world.plays(), world.clone()
    for _ in plays:
        state.undo()
    found = 1.0
    for player, card in plays:
        assert state.to_act == player
        if player != seat:
            found *= chances(agent, [state.view(player)])[0, card]
        state.apply(card)
    return found


@both_games
def test_worlds_weigh_what_the_agent_would_have_played(game: str) -> None:
    rng = np.random.default_rng(2)
    belief = AgentInference(Likely(), k=100_000, game=game)
    for _ in range(4):
        state = choice(game, rng, 2)
        view = state.view(state.to_act)
        posterior = belief.posterior(view, rng)
        expected = [likelihood(Likely(), world, view.seat) for world in posterior.states(posterior.rows, rng)]
        assert posterior.weights == pytest.approx(np.array(expected) / sum(expected))
        assert posterior.probability(posterior.rows) == pytest.approx(posterior.weights)
        assert len(set(np.round(posterior.weights, 12))) > 1


@both_games
def test_what_is_kept_from_earlier_cards_changes_nothing(game: str) -> None:
    rng, kept = np.random.default_rng(3), np.random.default_rng(5)
    belief = AgentInference(Likely(), k=100_000, game=game)
    while True:
        state = choice(game, rng, 3)
        seat, early = state.to_act, state.view(state.to_act)
        state.apply(state.legal_actions()[0])
        while not state.is_over and state.to_act != seat:
            state.apply(state.legal_actions()[0])
        if not state.is_over:
            break
    belief.posterior(early, kept)
    view = state.view(seat)
    first = belief.posterior(view, kept)
    again = AgentInference(Likely(), k=100_000, game=game).posterior(view, np.random.default_rng(9))
    assert first.probability(again.rows) == pytest.approx(again.weights)


@both_games
def test_worlds_in_which_it_would_have_played_otherwise_are_out(game: str) -> None:
    rng = np.random.default_rng(4)
    agent, belief = Lowest(), AgentInference(Lowest(), k=100_000, game=game)
    out = 0
    for _ in range(4):
        state = choice(game, rng, 5)
        while state.plays():
            state.undo()
        while state.tricks_played < (7 if game == "skat" else 5) and not state.is_over:
            state.apply(agent.decide(state.view(state.to_act), rng).action)
        if state.is_over:
            continue
        view = state.view(state.to_act)
        posterior = belief.posterior(view, rng)
        assert posterior.probability(posterior.row(state)[None])[0] > 0
        out += int((posterior.weights == 0).sum())
    assert out
    assert belief.fallbacks == 0


def test_cards_that_it_never_plays_leave_the_worlds_with_the_fewest() -> None:
    belief = AgentInference(Lowest(), k=100_000, game="skat")
    state = choice("skat", np.random.default_rng(6), 2)
    posterior = belief.posterior(state.view(state.to_act), np.random.default_rng(0))
    assert belief.fallbacks == 1
    assert posterior.weights.sum() == pytest.approx(1)
    assert np.ptp(posterior.weights) > 0


def test_it_has_a_text_and_refuses_agents_without_probabilities() -> None:
    assert (
        make_belief("agent(agent=rule, k=50)", "skat").name
        == f"agent(agent={make_agent('rule', 'skat').name}, k=50)"
    )
    with pytest.raises(ValueError, match="undecided uses chance"):
        AgentInference(Undecided(), game="skat")
    with pytest.raises(ValueError, match="k=0"):
        make_belief("agent(agent=random, k=0)", "skat")


def test_a_sample_of_worlds_is_near_all() -> None:
    state = choice("skat", np.random.default_rng(8), 4)
    view = state.view(state.to_act)
    count = Belief(view).count
    whole = AgentInference(Likely(), k=count, game="skat").posterior(view, np.random.default_rng(1))
    belief = AgentInference(Likely(), k=count // 2, game="skat")
    samples = [belief.posterior(view, np.random.default_rng(seed)) for seed in range(40)]
    assert {sample.drawn for sample in samples} == {"distinct"}
    mean = np.mean([sample.marginals() for sample in samples], axis=0)
    assert mean == pytest.approx(whole.marginals(), abs=0.06)
