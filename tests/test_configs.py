"""The configs that ship: each is named by its learner and read by it."""

from importlib import import_module
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytest.importorskip("torch", reason="learners need the extra 'learn'")

from skat_env.agents.learners.config import find_config, read_config
from skat_env.agents.learners.train import LEARNERS
from skat_env.errors import UnknownName

CONFIGS = sorted((ROOT / "configs").glob("*.toml"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_its_learner_reads_it(path: Path) -> None:
    learner, game = path.stem.split("-")[:2]
    config = read_config(import_module(LEARNERS[learner]).Config, path)
    assert getattr(config, "game", "klaverjas") == game
    assert path.read_text().startswith("#"), "a config begins with what it reproduces"


def test_configs_that_ship_are_found_by_name(tmp_path: Path) -> None:
    for path in CONFIGS:
        assert find_config(Path(path.stem)).read_text() == path.read_text()
    own = tmp_path / "own.toml"
    assert find_config(own) == own
    with pytest.raises(UnknownName, match="imitation-skat"):
        find_config(Path("imitation-skta"))
