"""Agents can be copied and sent to other processes: what comes out decides as the original does."""

import copy
import pickle

import numpy as np
import pytest

from skat_env.play.lockstep import decide_states
from skat_env.play.randomness import question_rng
from skat_env.play.starts import RandomDeals
from skat_env.protocols import Agent, State
from skat_env.registry import get_game, make_agent

AGENTS = [
    ("skat", "rule"),
    ("skat", "expert"),
    ("skat", "policy"),
    ("skat", "champion(quick=true)"),
    ("skat", "pimc(worlds=4, belief=locations, bidder=search_bidding(skats=2, worlds=2, games=1))"),
    ("skat", "search_calls(worlds=4, candidates=3)"),
    ("skat", "alpha_mu(worlds=4, bidder=rule)"),
    ("skat", "player(bidding=policy, cardplay=pimc(worlds=4, belief=tables))"),
    ("klaverjas", "rule"),
    ("klaverjas", "policy"),
    ("klaverjas", "champion(quick=true)"),
    ("klaverjas", "ismcts(simulations=20)"),
    ("klaverjas", "epimc(worlds=4)"),
    ("klaverjas", "exploring(agent=policy, share=0.5)"),
]


def actions(agent: Agent, states: list[State]) -> list[int]:
    rngs = [question_rng(1, number, 0) for number in range(len(states))]
    return [decision.action for decision, _ in decide_states(agent, states, rngs)]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "name"), AGENTS)
def test_a_copy_decides_as_the_original(game: str, name: str) -> None:
    agent, states = make_agent(name, game), []
    for number in range(3):
        state = RandomDeals(game, get_game(game).rules())(np.random.default_rng(number))
        rule = make_agent("rule", game)
        while not state.is_over:
            if len(state.legal_actions()) > 1 and len(state.history()) % 4 == 0:
                states.append(state.clone())
            state.apply(rule.decide(state.view(state.to_act), np.random.default_rng(0)).action)
    fresh = pickle.loads(pickle.dumps(agent))
    expected = actions(agent, states)
    used = pickle.loads(pickle.dumps(agent))
    assert (
        actions(fresh, states) == actions(used, states) == actions(copy.deepcopy(agent), states) == expected
    )
    assert used.name == agent.name
