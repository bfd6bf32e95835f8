"""The examples that need no extra."""

import runpy

import pytest

from skat_env import registry
from skat_env.cards import card_text, parse_card
from skat_env.registry import AGENT_GROUP, make_agent, register
from tests.conftest import ROOT


@pytest.mark.slow
def test_own_agent_beats_random() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "own_agent.py"))
    difference = example["play"](example["Options"](deals=100, seed=1))
    assert difference.low > 0
    assert difference.pairs == 100


def test_own_agent_lays_away_what_it_planned() -> None:
    example = runpy.run_path(str(ROOT / "examples" / "own_agent.py"))
    twelve = sum(
        1 << parse_card(card)
        for card in ["CJ", "SJ", "CA", "CT", "C9", "C8", "C7", "HA", "HT", "DA", "DT", "D7"]
    )
    planned = example["plan"](twelve)
    assert planned.suit == 3
    assert sorted(map(card_text, planned.discards)) == ["DT", "HT"]


def test_own_agent_is_made_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {})
    example = runpy.run_path(str(ROOT / "examples" / "own_agent.py"))
    register(AGENT_GROUP, "skat.planner", example["Planner"])
    assert make_agent("planner(trumps=7)", "skat").name == "planner(trumps=7)"
