"""Evaluators of whole worlds at the leaves of tree searches: the open-card solver, and networks that see all cards."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from skat_env.agents.networks.checkpoint import load_checkpoint, save_checkpoint
from skat_env.agents.search.evaluators.open_card import OpenCardEvaluator
from skat_env.errors import OptionError, ParseError, UnknownName
from skat_env.registry import make_agent, make_evaluator
from tests.helpers.searches import position
from tests.helpers.worth import declarer_worth

LATE = {"skat": 24, "klaverjas": 24}


def best(state: Any) -> float:
    """The value of best play with open cards, by trying everything."""
    if state.is_over:
        return declarer_worth(state)
    values = []
    for action in state.legal_actions():
        state.apply(action)
        values.append(best(state))
        state.undo()
    return max(values) if state.side(state.to_act) == 0 else min(values)


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_leaves_are_worth_what_best_play_brings(game: str) -> None:
    evaluator = OpenCardEvaluator(12, game=game)
    # Seeds 2, 5, ... are null games, which can be over by then.
    states = [position(game, LATE[game], seed) for seed in range(12) if seed % 3 < 2]
    expected = [best(state) for state in states]
    assert len(set(expected)) > 3
    for state, value in zip(states, expected, strict=True):
        assert evaluator._values([state.clone()]) == [value]
    over = states[0].clone()
    while not over.is_over:
        over.apply(over.legal_actions()[0])
    assert evaluator._values([over]) == [declarer_worth(over)]


def test_leaves_are_played_on_until_few_cards_are_left() -> None:
    evaluator = OpenCardEvaluator(3, game="skat")
    state = position("skat", 5, 0)
    evaluator._play_on(state, np.random.default_rng(0).random(48))
    assert state.places[state.to_act].bit_count() == 3
    before = state.text()
    evaluator._play_on(state, np.random.default_rng(0).random(48))
    assert state.text() == before


@pytest.mark.parametrize(
    ("game", "evaluator"),
    [
        ("skat", "open_card(cards=3)"),
        ("klaverjas", "open_card(cards=3)"),
        ("skat", "world_values"),
        ("skat", "world_values(policy=skat-policy)"),
        ("klaverjas", "world_values"),
        ("skat", "rollouts(inner=rule)"),
        ("skat", "rollouts"),
        ("klaverjas", "rollouts(inner=rule)"),
    ],
)
def test_decisions_repeat_and_are_legal(game: str, evaluator: str) -> None:
    spec = f"ismcts(simulations=24, reuse=false, evaluator={evaluator})"
    for plays in (3, 20):
        view = (state := position(game, plays, 2)).view(state.to_act)
        decisions = [make_agent(spec, game).decide(view, np.random.default_rng(4)) for _ in range(2)]
        assert decisions[0].stats == decisions[1].stats
        assert decisions[0].action in view.legal_actions()
        if len(view.legal_actions()) > 1:
            assert decisions[0].stats["simulations"] == 24


@pytest.mark.parametrize(
    ("game", "inner"), [("skat", "rule"), ("klaverjas", "rule"), ("klaverjas", "policy")]
)
def test_leaves_are_worth_what_an_agent_brings_from_there(game: str, inner: str) -> None:
    agent = make_agent(inner, game)
    states = [position(game, plays, seed) for plays, seed in ((6, 0), (14, 1), (20, 3), (27, 4))]
    expected = []
    for state in (state.clone() for state in states):
        while not state.is_over:
            state.apply(agent.decide(state.view(state.to_act), np.random.default_rng(0)).action)
        expected.append(declarer_worth(state))
    assert len(set(expected)) > 2
    found: list[float] = []
    for state in states:
        tree = SimpleNamespace(leaves=lambda worlds, leaf=state: [leaf.clone()], settle=found.extend)
        view = SimpleNamespace(declarer=state.declarer)
        search = SimpleNamespace(tree=tree, worlds=None, stream=1, done=0, view=view)
        make_evaluator(f"rollouts(inner={inner})", game).settle([search])
    assert found == expected


def test_priors_are_the_policys() -> None:
    state = position("skat", 0, 2)
    view = state.view(state.to_act)
    agent = make_agent("ismcts(simulations=1, evaluator=world_values(policy=skat-policy))", "skat")
    # A search of one simulation has rated the root and visited nothing: its weights are the priors.
    weights = agent.decide(view, np.random.default_rng(1)).weights
    from skat_env.agents.networks.card_networks import CARDS, card_networks
    from skat_env.agents.networks.choice import legal_cards, masked

    network = load_checkpoint("skat-policy", "skat").network(
        card_networks("skat").name_of(view, view.side(view.seat))
    )
    outputs = network(network.encoder.encode([view]))
    logits = np.take_along_axis(outputs[:, :CARDS], network.encoder.labels([view]), axis=1)
    assert weights is not None
    assert np.allclose(weights[:CARDS], masked(logits, legal_cards([view]))[0], atol=1e-5)


def test_a_folder_with_a_comma_is_named_so_that_it_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "a, b"
    shipped = load_checkpoint("skat-world", "skat")
    save_checkpoint(folder, "skat", shipped.networks, shipped.details)
    name = make_evaluator(f'world_values(checkpoint="{folder}")', "skat").name
    assert make_evaluator(name, "skat").name == name == f'world_values(checkpoint="{folder}")'
    assert make_evaluator("world_values", "skat").name == "world_values"


@pytest.mark.parametrize(
    ("game", "spec", "reported"),
    [
        ("skat", "ismcts(evaluator=open_card(cards=0))", "cards=0"),
        ("skat", "ismcts(evaluator=open_card(cards=2.5))", "cards=2.5"),
        ("skat", "ismcts(reward=win, evaluator=open_card)", "values in tournament_points"),
        ("skat", "ismcts(evaluator=world_values(checkpoint=nowhere))", "nowhere"),
        ("skat", "ismcts(evaluator=world_values(policy=skat-world))", "suit_soloist"),
        ("skat", "ismcts(evaluator=rollouts(inner=nobody))", "nobody"),
        ("skat", "ismcts(evaluator=rollouts(inner=pimc(belief=cheating)))", "cheats"),
        ("skat", "ismcts(reward=win, evaluator=rollouts(inner=rule))", "values in tournament_points"),
        ("skat", "ismcts(evaluator=policy_value(checkpoint=skat-policy))", "values no positions"),
        ("skat", "ismcts(variant=thesis, evaluator=world_values(policy=skat-policy))", "no priors"),
    ],
)
def test_wrong_options_are_reported(game: str, spec: str, reported: str) -> None:
    with pytest.raises((ValueError, UnknownName, ParseError, OptionError), match=reported):
        make_agent(spec, game)
