"""The configs that ship: each is named by its learner and read by it."""

from importlib import import_module
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytest.importorskip("torch", reason="learners need the extra 'learn'")

from agents.learners.config import read_config

CONFIGS = sorted((ROOT / "configs").glob("*.toml"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_its_learner_reads_it(path: Path) -> None:
    learner, game = path.stem.split("-")[:2]
    config = read_config(import_module(f"agents.learners.{learner}").Config, path)
    assert getattr(config, "game", "klaverjas") == game
    assert path.read_text().startswith("#"), "a config begins with what it reproduces"
