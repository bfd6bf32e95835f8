"""A training in one line of Python."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

from skat_env import ParseError, TrainedRun, UnknownName, train
from skat_env.agents.learners import dmc
from skat_env.agents.learners.config import find_config, read_config
from skat_env.datasets.generation import GenerationConfig, generate
from skat_env.tools.provenance import commit
from tests.conftest import ROOT

SMALL = {
    "games": 64, "lanes": 32, "starts": 32, "fresh": 0, "deals": 0, "warm_up": 0, "threads": 1, "report_every": 32,
    "kind": None,
}  # fmt: skip


@pytest.mark.slow
def test_a_training_in_one_line(tmp_path: Path) -> None:
    run = train("ppo", "ppo-klaverjas", tmp_path / "run", **SMALL)
    assert isinstance(run, TrainedRun)
    assert (run.checkpoint / "checkpoint.json").exists()
    assert run.metrics[-1]["step"] == 64
    assert "games_per_second" in str(run)
    assert run._repr_html_().startswith("<pre")
    assert train("ppo", "ppo-klaverjas", tmp_path / "run", **SMALL).metrics == run.metrics


@pytest.mark.slow
def test_a_checkpoint_names_the_commit_that_its_run_began_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heads = iter(["begun", "edited since", "edited since"])

    def git(words: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        told = str(ROOT) if "--show-toplevel" in words else next(heads) if "HEAD" in words else ""
        return subprocess.CompletedProcess(words, 0, told)

    commit.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr("skat_env.tools.provenance.subprocess.run", git)
        run = train("ppo", "ppo-klaverjas", tmp_path / "run", **SMALL)
    commit.cache_clear()
    details: dict[str, Any] = json.loads((run.checkpoint / "checkpoint.json").read_text())["details"]
    assert details["commit"] == json.loads((run.folder / "run.json").read_text())["commit"] == "begun"


def test_changes_are_values_of_python(tmp_path: Path) -> None:
    data = tmp_path / "games 😀"
    generate(GenerationConfig("skat", ("rule",), 20, 1), data)
    run = train(
        "tables", "tables-skat", tmp_path / "run", data=data, seed=np.int64(3), valid=np.float32(0.25)
    )
    config = json.loads((run.folder / "run.json").read_text())["config"]
    assert (config["data"], config["seed"], config["valid"]) == (str(data), 3, 0.25)
    path = find_config(Path("dmc-skat"))
    widths = (np.int64(16), 8)
    assert read_config(dmc.Config, path, ["kind=suit"], {"hidden": widths, "kind": None}) == read_config(
        dmc.Config, path, ["hidden=[16, 8]"]
    )
    assert read_config(dmc.Config, path, (), {"hidden": np.array(widths)}).hidden == (16, 8)
    with pytest.raises(ParseError, match=r"data = .*: expected `str`, got `set`"):
        train("tables", "tables-skat", tmp_path / "other", data={1})


def test_what_cannot_be_trained_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="'pop'"):
        train("pop", "ppo-skat", tmp_path)
    with pytest.raises(UnknownName, match="ppo-none"):
        train("ppo", "ppo-none", tmp_path)
    with pytest.raises(ParseError, match="games"):
        train("ppo", "ppo-skat", tmp_path / "run", games=-1)
    with pytest.raises(UnknownName, match="gams"):
        train("ppo", "ppo-skat", tmp_path / "run", gams=1)
    assert not (tmp_path / "run").exists()
