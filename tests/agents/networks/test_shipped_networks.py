"""The networks and tables that ship: whole, small, with their cards, and found by name."""

import json
import re
import shlex
import subprocess
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import msgspec
import tyro

from skat_env.agents.commands.train import Train
from skat_env.agents.learners.config import read_config
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.checkpoint_folder import MANIFEST, SHIPPED, shipped_names
from skat_env.agents.skat.counted.tables import SkatTables
from skat_env.agents.skat.counted.winning_tables import WinningTables
from skat_env.agents.skat.expert.openings import OpeningTables
from skat_env.match.play import MatchConfig, play_match
from skat_env.match.result import summarise
from skat_env.play.lockstep import play_game
from skat_env.registry import get_game, make_agent
from tests.conftest import ROOT


def manifest_of(name: str) -> dict[str, Any]:
    return json.loads((SHIPPED / name / MANIFEST).read_text())


def parts_of(name: str) -> list[dict[str, Any]]:
    """What is said of each training that a checkpoint is from."""
    details = manifest_of(name)["details"]
    return details.get("parts", [details])


PARTS = [
    pytest.param(part, id=f"{name}-{number}")
    for name in shipped_names()
    for number, part in enumerate(parts_of(name))
]


@pytest.mark.parametrize("name", shipped_names())
def test_each_is_whole(name: str) -> None:
    manifest = manifest_of(name)
    if "networks" in manifest:
        for network in load_checkpoint(name, manifest["game"]).networks.values():
            outputs = network.infer(np.zeros((2, network.encoder.width), np.float32))
            assert np.isfinite(outputs).all()
    elif "winning" in manifest:
        assert all(counts.games.sum() > 1000 for counts in WinningTables.load(name).counts.values())
    elif "openings" in manifest:
        assert all(counts.games.sum() > 1000 for counts in OpeningTables.load(name).counts.values())
    else:
        assert all(np.isfinite(table).all() for table in SkatTables.load(name).ratios.values())


@pytest.mark.parametrize("name", shipped_names())
def test_its_card_says_what_the_checkpoint_says(name: str) -> None:
    card = (SHIPPED / name / "README.md").read_text()
    assert card.startswith(f"# {name}\n")
    assert re.search(r"^- \*\*Data\*\*: .{20}", card, re.MULTILINE)
    assert re.search(r"^- \*\*Hours\*\*: \d+(\.\d+)? on ", card, re.MULTILINE)
    assert re.search(r"^- \*\*Strength\*\*: .*\d", card, re.MULTILINE)
    parts = parts_of(name)
    trainings = re.findall(r"^`(.*)` at commit (\w+):$", card, re.MULTILINE)
    assert trainings == [(part["command"], part["commit"]) for part in parts]
    configs = re.findall(r"^```json\n(.*?)\n```$", card, re.MULTILINE | re.DOTALL)
    assert [json.loads(config) for config in configs] == [part["config"] for part in parts]
    assert re.findall(r"^\| (\w+) \|(?! test_)", card, re.MULTILINE) == [
        network for part in parts for network in part.get("figures", {})
    ]


@pytest.mark.parametrize("part", PARTS)
def test_its_command_is_one_that_trains_with_its_config(part: dict[str, Any]) -> None:
    program, command, *words = shlex.split(part["command"])
    assert (program, command) == ("skat-env", "train")
    train = tyro.cli(Train, args=words)
    learner = import_module(f"skat_env.agents.learners.{train.learner}")
    known = {field.encode_name for field in msgspec.structs.fields(learner.Config)}
    gone = {"device", "precision"} - known
    changes = [change for change in chain(*train.set) if change.partition("=")[0] not in gone]
    asked = read_config(learner.Config, ROOT / train.config, changes)
    config = json.loads(msgspec.json.encode(asked))
    shared = config.keys() & part["config"].keys()
    assert {"data", "hidden", "learning_rate", "seed"} & config.keys() <= shared
    assert {key: part["config"][key] for key in shared} == {key: config[key] for key in shared}


@pytest.mark.parametrize("part", PARTS)
def test_its_commit_is_real(part: dict[str, Any]) -> None:
    assert re.fullmatch(r"[0-9a-f]{40}", part["commit"])
    git = ["git", "-C", str(ROOT)]
    asked = subprocess.run([*git, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True)
    if asked.stdout.strip() != "false":
        pytest.skip("needs the whole history")
    assert not subprocess.run([*git, "merge-base", "--is-ancestor", part["commit"], "HEAD"]).returncode


def test_all_together_are_small() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*.safetensors")) <= 32_000_000


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


@pytest.mark.slow
@pytest.mark.parametrize(("game", "least"), [("skat", 40), ("klaverjas", 20)])
def test_policies_are_far_better_than_random(game: str, least: float) -> None:
    """Cardplay on the same deals, points per game (Skat) or a round; measured: 68 ± 10 and 73 ± 12."""
    config = MatchConfig(game, ("policy", "random"), 128, 3, "mirrored")
    games = [game for block in play_match(config) for game in block]
    assert summarise(config, games).comparisons[0].difference.mean > least
