"""Shipping a checkpoint: its card goes on, and what its base has is not stored twice."""

import re
import shutil
from pathlib import Path

import pytest

from benchmarks.make import ship_checkpoint
from skat_env.agents.networks.checkpoint import load_checkpoint
from skat_env.agents.networks.checkpoint_folder import SHIPPED


def test_a_checkpoint_that_ships_is_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = SHIPPED / "skat-policy", tmp_path / "skat-policy"
    shutil.copytree(before, after)
    monkeypatch.setattr(ship_checkpoint, "SHIPPED", tmp_path)
    ship_checkpoint.main(
        ship_checkpoint.Options("skat-policy", (after,), "more of it", 0.5, strength=("better by 1",))
    )
    weights = {path.name: path.read_bytes() for path in before.glob("*.safetensors")}
    assert {path.name: path.read_bytes() for path in after.glob("*.safetensors")} == weights
    assert (
        load_checkpoint(after, "skat").networks.keys()
        == load_checkpoint("skat-policy", "skat").networks.keys()
    )
    old, new = ((folder / "README.md").read_text() for folder in (before, after))
    assert re.findall(r"Strength\*\*: (.*)", new) == ["better by 1", *re.findall(r"Strength\*\*: (.*)", old)]
    hours = [float(re.findall(r"Hours\*\*: ([\d.]+)", card)[0]) for card in (old, new)]
    assert hours[1] == hours[0] + 0.5
    assert re.findall(r"Data\*\*: (.*)", new) == [re.findall(r"Data\*\*: (.*)", old)[0] + "; more of it"]
    assert "those of [skat-imitation](../skat-imitation/README.md)" in new
