"""The networks and tables that ship: whole, small, with their cards, and found by name."""

import json

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

from agents.networks.checkpoint import load_checkpoint
from agents.networks.checkpoint_folder import MANIFEST, SHIPPED, shipped_names
from agents.skat.tables import SkatTables
from skat_env.match.play import MatchConfig, play_match
from skat_env.match.result import summarise
from skat_env.play.lockstep import play_game
from skat_env.registry import get_game, make_agent


@pytest.mark.parametrize("name", shipped_names())
def test_each_is_whole_and_has_a_card(name: str) -> None:
    manifest = json.loads((SHIPPED / name / MANIFEST).read_text())
    if "networks" in manifest:
        for network in load_checkpoint(name, manifest["game"]).networks.values():
            outputs = network.infer(np.zeros((2, network.encoder.width), np.float32))
            assert np.isfinite(outputs).all()
    else:
        assert all(np.isfinite(table).all() for table in SkatTables.load(name).ratios.values())
    card = (SHIPPED / name / "README.md").read_text()
    assert all(word in card for word in ("**Data**", "**Hours**", "**Strength**"))


def test_all_together_are_small() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*.safetensors")) <= 20_000_000


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("skat", "policy"),
        ("skat", "hybrid(policy=policy, search=rule, trick=3)"),
        ("skat", "player(bidding=rule, cardplay=pimc(worlds=4, belief=locations, bidder=rule))"),
        ("klaverjas", "policy"),
        ("klaverjas", "pimc(worlds=2, belief=locations, bidder=rule)"),
        ("klaverjas", "ismcts(simulations=20, evaluator=value, bidder=rule)"),
        (
            "klaverjas",
            "ismcts(simulations=20, evaluator=policy_value(checkpoint=klaverjas-policy), bidder=rule)",
        ),
    ],
)
def test_agents_find_them_by_name(game: str, name: str) -> None:
    agent = make_agent(name, game)
    seats = len(get_game(game).seats)
    for deal in range(3):
        state = get_game(game).state.random(np.random.default_rng(deal))
        play_game(state, [agent] * seats, [np.random.default_rng(seat) for seat in range(seats)])
        assert state.is_over


@pytest.mark.parametrize(("game", "least"), [("skat", 40), ("klaverjas", 20)])
def test_policies_are_far_better_than_random(game: str, least: float) -> None:
    """Cardplay on the same deals, points a game (Skat) or a round; measured: 68 ± 10 and 73 ± 12."""
    config = MatchConfig(game, ("policy", "random"), 128, 3, "mirrored")
    games = [game for block in play_match(config) for game in block]
    assert summarise(config, games).comparisons[0].difference.mean > least
