"""Scripts of benchmarks hold what they say: curves of runs of one name, means of audits, as many matches as asked for."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.quality import audit_mean, learning_curve, until_coverage
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


@pytest.mark.slow
def test_the_mean_of_an_audit_with_itself_is_that_audit(tmp_path: Path) -> None:
    """Of recorded games, several a deal: both count them as one."""
    main(f"match --agents rule random --deals 3 --game klaverjas --out {tmp_path / 'match'}".split())
    source, folder = tmp_path / "match" / "games.jsonl", tmp_path / "audit"
    main(
        f"audit rule random --game klaverjas --players random --from {source} --deals 6 --out {folder}".split()
    )
    audit_mean.main(audit_mean.Options((folder, folder), out=tmp_path / "mean.json"))
    rows = json.loads((tmp_path / "mean.json").read_text())["rows"]
    result = json.loads((folder / "result.json").read_text())
    assert rows["whole"] == pytest.approx(result["whole"]["points_a_game"])
    assert rows["whole"]["clusters"] == 3
    for role, group in result["groups"]["role"].items():
        assert rows[role] == pytest.approx(group["points_a_game"])
    (folder / "result.json").unlink()
    with pytest.raises(ValueError, match="is not finished"):
        audit_mean.main(audit_mean.Options((folder, folder)))


def test_coverage_is_that_of_as_many_matches_as_were_asked_for() -> None:
    population = np.random.default_rng(0).normal(size=200)
    for matches in (10, 503):
        covers = until_coverage.simulate(population, 128, matches, 1).covers * matches
        assert covers == pytest.approx(round(covers))
