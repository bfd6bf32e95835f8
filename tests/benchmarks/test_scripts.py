"""Benchmarks run to their end and keep their figures, each with as little work as it can have."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.harness import run_benchmark
from benchmarks.speed import decisions
from skat_env.cli import main
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

WORDS = {
    "speed.beliefs": "--beliefs uniform --games 1 --worlds 5",
    "speed.decisions": "--agents pimc(worlds=2) policy --deals 1 --start cardplay --batch 8",
    "speed.encoders": "--games 20 --seconds 0.01",
    "speed.endings": "--tricks 1 --endings 3",
    "speed.klaverjas_solver": "--deals 1 --shared none",
    "speed.lanes": "--game skat --games 5 --repeats 1",
    "speed.learners": f"{ROOT}/examples/learners/ppo.py --task SkatEnding-v0 --steps 100",
    "speed.matches": "--agents rule policy --deals 1",
    "speed.skat_solver": "--deals 1 --shared none",
    "speed.vector": "--games 8 --threads 1 --steps 2",
    "speed.waves": "--learners dmc --waves 1 --runs 1 --set lanes=16",
    "speed.workers": "--counts 1 --seconds 0.01 --pieces 2",
    "quality.assumptions": "--agents rule --games 20",
    "quality.asked_again": "--data data --observer policy --player rule --times 1 --worlds 4",
    "quality.audit_mean": "audit-policy audit-rule",
    "quality.call_gains": "--agents policy --belief uniform --stage auction --decisions 6 --worlds 3",
    "quality.champion_worlds": "--game klaverjas --k 20 --worlds 4 --reference 20 --judges 4 --decisions 2",
    "quality.declared_values": "--deals 20",
    "quality.ending_loss": "--agents rule --deals 3 --tricks 2",
    "quality.expert_rules": "--deals 2 --bidder rule --kinds suit",
    "quality.kind_points": "match",
    "quality.lost_games": "--agents rule --games 1 --worlds 2",
    "quality.opponent_gains": "--players rule --decisions 1 --worlds 2",
    "quality.pimc_properties": "--deals 2",
    "quality.search_settings": "--game klaverjas --decisions 3 --worlds 32",
    "quality.seat_gains": "match",
    "quality.until_coverage": "--deals 10 --matches 1",
    "quality.value_calibration": "data --networks pass_value soloist_value --parts 2",
    "quality.winning_calibration": "data",
    "quality.world_calibration": "data",
}
"""The words of each command, but for `--out`."""
LEFT_OUT = [
    "quality.differing_deals",
    "quality.learners",
    "quality.learning_curve",
    "quality.searchers",
    "quality.strength_history",
    "quality.sweep",
    "quality.worlds_curve",
    "speed.ahead",
    "speed.doors",
    "speed.engine_time",
    "speed.environments",
    "speed.pictures",
    "speed.sb3",
    "speed.start",
    "speed.table",
]
"""Those that take servers, other files or minutes, or write a folder."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a match, its games as a dataset, and two audits."""
    path = tmp_path_factory.mktemp("benchmarks")
    main(f"match --agents policy rule --deals 6 --seed 3 --out {path}/match".split())
    main(f"data import {path}/match/games.jsonl {path}/data".split())
    for players in ("policy", "rule"):
        words = f"audit policy rule --players {players} --deals 4 --seed 3 --out {path}/audit-{players}"
        main(words.split())
    return path


def test_each_script_is_run_or_left_out() -> None:
    folders = (ROOT / "benchmarks" / folder for folder in ("speed", "quality"))
    scripts = [f"{path.parent.name}.{path.stem}" for each in folders for path in each.glob("[!_]*.py")]
    assert sorted(scripts) == sorted([*WORDS, *LEFT_OUT])


@pytest.mark.parametrize("name", WORDS)
def test_figures_are_kept(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module: Any = pytest.importorskip(f"benchmarks.{name}", reason="needs an extra", exc_type=ImportError)
    monkeypatch.chdir(folder)
    out = f"{name}.json"
    words = WORDS[name].split()
    monkeypatch.setattr(sys, "argv", [name, *words, "--out", out])
    with pytest.raises(SystemExit) as ended:
        run_benchmark(module.main, module.Options)
    assert ended.value.code == 0, capsys.readouterr().err
    kept = json.loads((folder / out).read_text())
    assert kept.keys() > {"command", "options"}
    assert "out" not in kept["options"]
    assert capsys.readouterr().out.endswith(f"written to {out}\n")


@pytest.mark.parametrize(("game", "limits"), [("skat", ["100"]), ("klaverjas", [])])
def test_limits_of_skat_are_not_shown_in_another_game(
    game: str, limits: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(text: str, options: decisions.Options) -> list[decisions.Figure]:
        return [decisions.Figure(text, "cardplay", 1, 2.0, 3.0, 4.0, 5.0, None, 0.0)]

    monkeypatch.setattr(decisions, "measure", measure)
    decisions.main(decisions.Options(game=game))
    row = next(line for line in capsys.readouterr().out.splitlines() if "cardplay" in line)
    assert row.split()[2:] == ["1", "2", "3", "4", "5", *limits]
