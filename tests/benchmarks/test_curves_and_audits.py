"""Folders that are not what a benchmark takes them for: runs of the same name, audits of other deals."""

import json
from pathlib import Path

import pytest

from benchmarks.quality import audit_mean, learning_curve
from skat_env.cli import main


@pytest.mark.slow
def test_runs_of_one_name_have_a_curve_each(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra 'plot'")
    runs = [tmp_path / parent / "run" for parent in "ab"]
    for number, run in enumerate(runs):
        run.mkdir(parents=True)
        line = {"step": 1, **{f"evaluation/rule/{name}": number for name in ("mean", "low", "high")}}
        (run / "metrics.jsonl").write_text(json.dumps(line) + "\n")
    learning_curve.main(learning_curve.Options(tuple(runs), tmp_path / "curve"))
    curves = json.loads((tmp_path / "curve.json").read_text())["curves"]
    assert {name: points[0]["mean"] for name, points in curves.items()} == {str(runs[0]): 0, str(runs[1]): 1}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "name"), [("--seed 2", "seed"), ("--deals 3", "deals"), ("--bidder policy", "bidder")]
)
def test_audits_of_other_deals_have_no_mean(words: str, name: str, tmp_path: Path) -> None:
    folders = tmp_path / "first", tmp_path / "second"
    for folder, more in zip(folders, ("", words), strict=True):
        main(f"audit policy rule --deals 2 --out {folder} {more}".split())
    with pytest.raises(ValueError, match=f"have other {name}: expected two audits of the same deals"):
        audit_mean.main(audit_mean.Options(folders))
