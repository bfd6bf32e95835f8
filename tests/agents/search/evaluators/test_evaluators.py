"""Networks at the leaves of tree searches: PUCT against its plain twin, perspectives, batches, wrong options."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import torch

from skat_env.agents.networks.card_networks import CARDS, card_networks
from skat_env.agents.networks.checkpoint import save_checkpoint
from skat_env.agents.networks.network import Network, NetworkSpec
from skat_env.agents.search.evaluators.evaluator import Search
from skat_env.agents.search.evaluators.policy_value import PolicyValueEvaluator
from skat_env.agents.search.evaluators.value import VALUE, ValueEvaluator
from skat_env.agents.search.ismcts import Ismcts, IsmctsOptions
from skat_env.agents.search.tree._ismcts import Tree
from skat_env.agents.search.tree._selection import PUCT, UCB
from skat_env.agents.search.tree._worlds import Worlds
from skat_env.agents.search.tree.tree_options import TreeOptions
from skat_env.beliefs.belief import Belief
from skat_env.errors import ParseError, UnknownName
from skat_env.registry import get_game, make_agent
from tests.helpers import plain_ismcts
from tests.helpers.networks import random_network
from tests.helpers.searches import SIGNS, position, signs

GAMES = ("klaverjas", "skat")


def policy_networks(game: str) -> dict[str, Network]:
    torch.manual_seed(3)
    layout = card_networks(game)
    return {name: random_network(layout.spec(name, (16,))) for name in layout.names}


def value_network() -> Network:
    torch.manual_seed(4)
    return random_network(NetworkSpec("klaverjas.perspective", 1, (16,), 100.0))


def plain_policy(game: str, networks: dict[str, Network]) -> plain_ismcts.Policy:
    def policy(state: Any) -> tuple[dict[int, float], float]:
        network = networks[card_networks(game).name_of(state, state.side(state.to_act))]
        row = network(network.encoder.encode([state]))[0].astype(np.float64)
        actions = state.legal_actions()
        logits = row[network.encoder.labels([state.view(state.to_act)])[0][actions]]
        odds = np.exp(logits - logits.max())
        return dict(zip(actions, odds / odds.sum(), strict=True)), float(row[CARDS]) * network.spec.scale

    return policy


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    ("c", "private", "minimax"), [(1.25, False, 0.0), (0.3, True, 0.0), (5.0, False, 0.0), (1.25, False, 0.7)]
)
def test_trees_with_priors_are_those_of_the_plain_twin(
    game: str, c: float, private: bool, minimax: float
) -> None:
    networks = policy_networks(game)
    unit = get_game(game).match_unit
    evaluator = PolicyValueEvaluator(networks, game)
    for seed, plays in enumerate((2, 9, 16, 21)):
        state = position(game, plays, seed)
        if state.is_over or len(state.legal_actions()) < 2:
            continue
        view = state.view(state.to_act)
        belief, rng = Belief(view), np.random.default_rng(seed)
        states = [belief.state(row, rng) for row in belief.sample(20, rng)]
        options = TreeOptions(c=c, selection=PUCT, private=private, minimax=minimax)
        tree = Tree(signs(game, state), get_game(game).reward_units.index(unit), options)
        worlds = Worlds(view, view.seat, False, states)
        tree.begin(worlds)
        for number in range(60):
            assert tree.gather(worlds, 1, 100 + number) == 1
            if tree.waiting:
                evaluator.settle([Search(view, tree, worlds, 0, 1)])
        plain = plain_ismcts.search_by_priors(
            view, states, 60, [100 + number for number in range(60)], unit, round(1 / SIGNS[game]), c,
            plain_policy(game, networks), private, minimax,
        )  # fmt: skip
        ours = tree.root_edges()
        assert [edge[:2] for edge in ours] == [edge[:2] for edge in plain]
        assert np.allclose([edge[3:] for edge in ours], [edge[2:] for edge in plain], rtol=1e-4, atol=1e-4)


def test_leaves_are_valued_as_the_seat_that_searches_sees_them() -> None:
    network = value_network()
    for seed in range(4):
        state = position("klaverjas", 10 + seed, seed)
        view = state.view(state.to_act)
        tree = Tree(signs("klaverjas", state), 1, TreeOptions(c=200.0, selection=UCB, relative=False))
        worlds = Worlds(view, view.seat, False, [])
        tree.begin(worlds)
        tree.gather(worlds, 1, 5)
        [leaf] = tree.leaves(worlds)
        value = float(network.infer(network.encoder.encode([leaf], [view.seat]))[0, 0])
        ValueEvaluator(network, "klaverjas").settle([Search(view, tree, worlds, 0, 1)])
        [edge] = tree.root_edges()
        assert edge[3] == pytest.approx(-value if view.side(view.seat) else value, rel=1e-4)


class Constant:
    """Values everything alike."""

    name = "constant"

    def __init__(self, value: float) -> None:
        self._value = value

    def values(self, states: list[Any]) -> np.ndarray[Any, Any]:
        return np.full(len(states), self._value)


def test_rollouts_take_their_share_of_a_value() -> None:
    view = (state := position("klaverjas", 5, 3)).view(state.to_act)
    means = {}
    for share, value in ((1, 0), (1, 500), (0.5, 0), (0.5, 500)):
        agent = Ismcts(
            IsmctsOptions(
                simulations=1, batch=1, evaluator=Constant(value), rollout_share=share, bidder="rule"
            ),
            game="klaverjas",
        )
        [mean] = agent.decide(view, np.random.default_rng(1)).stats["means"].values()
        means[share, value] = mean * (-1 if view.side(view.seat) else 1)
    assert means[1, 0] == means[1, 500] == 2 * means[0.5, 0]
    assert means[0.5, 500] == pytest.approx(means[0.5, 0] + 250)


@pytest.mark.parametrize("game", GAMES)
def test_decisions_do_not_depend_on_what_else_is_asked(game: str) -> None:
    evaluator = PolicyValueEvaluator(policy_networks(game), game)
    agent = Ismcts(IsmctsOptions(simulations=40, evaluator=evaluator, bidder="rule", reuse=False), game=game)
    views = [(state := position(game, 6 + seed, seed)).view(state.to_act) for seed in range(5)]
    together = agent.decide_many(views, [np.random.default_rng(seed) for seed in range(5)])
    for seed, (view, decision) in enumerate(zip(views, together, strict=True)):
        alone = agent.decide(view, np.random.default_rng(seed))
        assert alone.action == decision.action
        if alone.weights is not None:
            assert decision.weights == pytest.approx(alone.weights, abs=0.08)
            assert set(np.flatnonzero(decision.weights)) <= set(view.legal_actions())


def test_a_search_too_short_for_visits_plays_by_its_priors() -> None:
    agent = Ismcts(
        IsmctsOptions(
            simulations=1, evaluator=PolicyValueEvaluator(policy_networks("klaverjas"), "klaverjas")
        ),
        game="klaverjas",
    )
    view = (state := position("klaverjas", 4, 2)).view(state.to_act)
    decision = agent.decide(view, np.random.default_rng(0))
    assert decision.weights is not None
    assert decision.action == decision.weights.argmax()
    assert decision.weights.sum() == pytest.approx(1)


def test_a_time_is_shared_by_the_searches() -> None:
    agent = Ismcts(
        IsmctsOptions(time=2, evaluator=ValueEvaluator(value_network(), "klaverjas")), game="klaverjas"
    )
    views = [(state := position("klaverjas", 3, seed)).view(state.to_act) for seed in range(3)]
    decisions = agent.decide_many(views, [np.random.default_rng(0)] * 3)
    assert all(decision.stats["simulations"] >= 8 for decision in decisions)


def test_evaluators_and_policies_by_name(tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "value", "klaverjas", {VALUE: value_network()})
    save_checkpoint(tmp_path / "policy", "klaverjas", policy_networks("klaverjas"))
    view = (state := position("klaverjas", 3, 1)).view(state.to_act)
    specs = (
        f"ismcts(simulations=20, c=200, variant=thesis, evaluator=value(checkpoint={tmp_path}/value))",
        f"ismcts(simulations=20, c=1.5, rollout_share=0.5, evaluator=policy_value(checkpoint={tmp_path}/policy))",
        f"policy(checkpoint={tmp_path}/policy, cardplay=sample)",
    )
    for spec in specs:
        agent = make_agent(spec, "klaverjas")
        assert agent.name == spec
        assert agent.decide(view, np.random.default_rng(0)).action in view.legal_actions()


@pytest.mark.parametrize(
    ("spec", "reported"),
    [
        ("ismcts(evaluator=value(checkpoint=nowhere))", "nowhere"),
        ("ismcts(evaluator=value(weights=1))", "weights"),
        ("ismcts(evaluator=policy_value)", "checkpoint"),
        ("ismcts(rollout_share=2)", "rollout_share"),
        ("ismcts(reward=made, evaluator=policy_value(checkpoint={}))", "values in score"),
        ("ismcts(variant=thesis, evaluator=policy_value(checkpoint={}))", "no priors"),
        ("ismcts(evaluator=value(checkpoint={}))", "no network 'value'"),
        ("policy(checkpoint={}, cardplay=best)", "cardplay"),
        ("exploring(agent=rule, share=2)", "share"),
    ],
)
def test_wrong_options_are_reported(spec: str, reported: str, tmp_path: Path) -> None:
    save_checkpoint(tmp_path / "policy", "klaverjas", policy_networks("klaverjas"))
    with pytest.raises((ValueError, UnknownName, ParseError), match=reported):
        make_agent(spec.format(tmp_path / "policy"), "klaverjas")
