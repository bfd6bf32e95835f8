"""A training in one line of Python."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

from skat_env import ParseError, TrainedRun, UnknownName, train
from skat_env.tools.provenance import commit
from tests.conftest import ROOT

SMALL = {
    "games": 64, "lanes": 32, "starts": 32, "fresh": 0, "deals": 0, "warm_up": 0, "threads": 1, "report_every": 32,
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
