"""Values of decisions say what they are in, and agents made of others hand that on."""

from typing import Any

import numpy as np
import pytest

from skat_env.play.starts import PlayedTo
from skat_env.protocols import CHANCE
from skat_env.registry import get_game, make_agent
from skat_env.table.thoughts import think

CARDPLAY = {
    "pimc(worlds=3, bidder=rule)": {"skat": "win", "klaverjas": "made"},
    "alpha_mu(worlds=3, bidder=rule)": CHANCE,
    "alpha_mu(worlds=3, thresholds=61+90, bidder=rule)": "thresholds reached",
    "epimc(worlds=3, bidder=rule)": CHANCE,
    "ismcts(simulations=30, bidder=rule)": "",
    "iimc(worlds=3, inner=policy)": "",
    "policy": "",
}
"""Agents, and the units of their values in the cardplay."""


def start(game: str, seed: int = 2) -> Any:
    state = PlayedTo(game, "cardplay", "rule")(np.random.default_rng(seed))
    while state.legal().bit_count() == 1:
        state.apply(state.legal_actions()[0])
    return state


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
@pytest.mark.parametrize("agent", CARDPLAY)
@pytest.mark.parametrize(
    "wrapped", ["{}", "player(bidding=rule, cardplay='{}')", "hybrid(policy='{}', search=rule, trick=8)"]
)
def test_units_of_the_cardplay(agent: str, wrapped: str, game: str) -> None:
    if game == "klaverjas" and "thresholds" in agent:
        pytest.skip("card points of Skat")
    expected: Any = CARDPLAY[agent]
    expected = expected[game] if isinstance(expected, dict) else expected
    state = start(game)
    decision = make_agent(wrapped.format(agent), game).decide(
        state.view(state.to_act), np.random.default_rng(1)
    )
    if decision.value is not None:
        assert decision.unit == expected
        told = think(get_game(game), state.view(state.to_act), make_agent(agent, game), decision=decision)
        assert told["unit"] == (expected or get_game(game).match_unit)
        assert told["course"][-1]["unit"] == told["unit"]


def test_bids_by_chance_say_so() -> None:
    state = get_game("skat").state.random(np.random.default_rng(1))
    decision = make_agent("search_bidding(skats=2, worlds=2, games=1)", "skat").decide(
        state.view(state.to_act), np.random.default_rng(1)
    )
    assert decision.unit == CHANCE


def test_the_champions_values_through_a_game_are_told_apart() -> None:
    """Its searches count in an objective where a single world is left, its networks and its playouts in points."""
    agent, state = make_agent("champion(quick=true)", "skat"), start("skat", 5)
    units = set()
    while not state.is_over:
        decision = agent.decide(state.view(state.to_act), np.random.default_rng(1))
        if decision.value is not None:
            units.add(decision.unit)
        state.apply(decision.action)
    assert len(units) > 1
