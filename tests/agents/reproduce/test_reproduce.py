"""Reproductions: that their numbers are those of their matches, that they go on where they were stopped, and what they report."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from skat_env.agents.reproduce import aaldering_search, rebstock_hybrid, rebstock_inference, run
from skat_env.agents.reproduce.bench import Bench
from skat_env.agents.reproduce.catalogue import CATALOGUE, find
from skat_env.agents.reproduce.report import duration, markdown
from skat_env.agents.reproduce.reproduction import SCALES, Model, Reproduction, Size
from skat_env.agents.reproduce.row import Row, compared, share
from skat_env.cli import main
from skat_env.errors import UnknownName
from skat_env.match.statistics import estimate
from skat_env.records import GameRecord
from skat_env.tools.run_folder import locked

CURVE = ["aaldering-figure-5", "--scale", "smoke", "--deals", "2", "--effort", "10", "--set", "rule=random"]


def reproduce(*words: str) -> int:
    return main(["reproduce", *words])


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def bench(
    reproduction: Reproduction, folder: Path, deals: int, effort: tuple[int, ...], **models: str
) -> Bench:
    """A reproduction's own models but for some."""
    specs = {name: model.spec or "" for name, model in reproduction.models.items()} | models
    return Bench(folder, reproduction.game, deals, effort, specs)


@pytest.mark.slow
def test_the_command_writes_a_table_and_a_plot_and_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    assert reproduce(*CURVE, "--out", str(whole)) == 0
    shown = capsys.readouterr().out
    assert {"result.json", "table.md", "plot.png", "reproduction.json", "matches"} == {
        path.name for path in whole.iterdir()
    }
    result = json.loads((whole / "result.json").read_text())
    assert {"command", "versions", "commit", "config", "rows"} <= set(result)
    assert result["config"]["models"] == {"rule": "random"}
    assert (whole / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert len(result["rows"]) == len(aaldering_search.EXPLORATIONS) + 1
    best = next(row for row in result["rows"] if row["label"] == ["10 simulations", "50"])
    match = json.loads((whole / "matches" / "10-50" / "result.json").read_text())
    [comparison] = match["comparisons"]
    assert (best["mean"], best["paper"]) == (comparison["difference"]["mean"], "4")
    table = (whole / "table.md").read_text()
    assert f"| 10 simulations | 50 | {best['mean']:+.2f} | [{best['low']:+.2f}, " in table

    # Stopped in the middle of the second match, as a killed process leaves it: half a line at the end.
    shutil.copytree(whole, stopped)
    for name in ("result.json", "table.md", "plot.png", "matches/10-10/result.json"):
        (stopped / name).unlink()
    for number in aaldering_search.EXPLORATIONS[2:]:
        shutil.rmtree(stopped / "matches" / f"10-{number}")
    pairs = stopped / "matches" / "10-10"
    games, thinking = (pairs / "games.jsonl").read_text(), (pairs / "thinking.jsonl").read_text()
    lines = [f"{a}\t{b}\n" for a, b in zip(thinking.splitlines(), games.splitlines(), strict=True)]
    (pairs / "journal.jsonl").write_text(lines[0] + lines[1][:30])
    (pairs / "games.jsonl").unlink()
    assert reproduce(*CURVE, "--out", str(stopped)) == 0
    assert (pairs / "games.jsonl").read_text() == games
    assert json.loads((stopped / "result.json").read_text())["rows"] == result["rows"]
    assert (stopped / "plot.png").read_bytes() == (whole / "plot.png").read_bytes()
    capsys.readouterr()

    # A finished one is shown again, and nothing is written over.
    before = files(whole)
    assert reproduce(*CURVE, "--workers", "2", "--out", str(whole)) == 0
    assert capsys.readouterr().out == shown
    assert reproduce(*CURVE, "--seed", "1", "--out", str(whole)) == 2
    assert "holds another reproduction (seed 0 there, 1 here)" in capsys.readouterr().err
    with locked(whole):
        assert reproduce(*CURVE, "--out", str(whole)) == 2
    assert "another process" in capsys.readouterr().err
    assert files(whole) == before


@pytest.mark.slow
def test_table_6_1_is_of_all_pairs_and_kinds(tmp_path: Path) -> None:
    """The rows are what the match says, and defence and declaring add up (eq. 6.2 + 6.3 = 6.1)."""
    reproduction = find("rebstock-table-6.1")
    models = {"KI": "thesis", "CLI": "cheating", "PI": "uniform()", "bidder": "rule"}
    found = reproduction.rows(bench(reproduction, tmp_path, 1, (1,), **models))
    rows = {row.label: row for row in found}
    assert len(rows) == 6 * 3 * 3
    match = json.loads((tmp_path / "matches" / "pairs" / "result.json").read_text())
    for kind, comparisons in match["kinds"].items():
        assert comparisons[0]["agents"] == [
            "pimc(worlds=1, belief=thesis, bidder=rule)",
            "pimc(worlds=1, belief=uniform, bidder=rule)",
        ]
        assert rows["KI : NI", kind, "difference"].mean == comparisons[0]["difference"]["mean"]
    for first, kind, _ in rows:
        parts = [rows[first, kind, part].mean for part in ("defence", "declaring", "difference")]
        assert parts[0] + parts[1] == pytest.approx(parts[2])
    table = markdown(reproduction, found, "`made by`")
    assert "| PI : CLI | suit | defence |" in table
    assert "| 1.6* |" in table
    assert "not significant" in table


def test_pages_leave_points_of_curves_to_the_plot() -> None:
    point = Row(("KI", "suit", "soloist", "cards 1"), 1.0, x=1, line="KI")
    of_the_paper = replace(point, label=("KI", "suit", "soloist", "cards 2"), paper="2.0")
    row = replace(point, label=("KI", "suit", "soloist", "bits"), x=None)
    page = markdown(find("rebstock-figure-5.1"), [point, of_the_paper, row], "")
    assert "cards 2" in page
    assert "bits" in page
    assert "cards 1" not in page
    assert "cards 1" in markdown(find("rebstock-figure-5.1"), [point], "")


def test_the_list_says_what_each_needs_and_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce("--list") == 0
    text = capsys.readouterr().out
    for name, each in CATALOGUE.items():
        assert f"{name}: {each.title}" in text
        assert all(model in text for model in each.models)
    assert "KI = tables" in text
    assert duration(Size(1, 0.5, measured=True)) == "30 s"
    assert duration(Size(1, 90)) == "~90 min"
    assert duration(Size(1, 600)) == "~10 h"
    assert duration(Size(1, 60 * 24 * 10)) == "~10 d"


@pytest.mark.slow
def test_wrong_commands_are_one_sentence_and_write_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    full = tmp_path / "full"
    full.mkdir()
    (full / "notes").write_text("mine")
    here = ("--out", str(out))
    cases = {
        ("rebstock-table-6.2", *here): "did you mean 'rebstock-table",
        (): "nothing to reproduce: expected one of",
        (
            "rebstock-table-6.1",
            *here,
            "--set",
            "KI=tabels",
        ): "rebstock-table-6.1 needs KI = tabels: unknown belief",
        ("rebstock-table-6.1", *here, "--set", "KJ=uniform"): "did you mean 'KI'",
        ("rebstock-table-6.1", *here, "--set", "KI"): "expected NAME=SPEC",
        ("rebstock-tables-3.3-4.2", *here, "--set", "checkpoint=none"): "unknown checkpoint 'none'",
        ("aaldering-figure-8", *here): "needs --set run=...: the folder of a run",
        ("aaldering-figure-8", *here, "--set", "run=nowhere"): "needs run = nowhere",
        (*CURVE, "--out", str(full)): "not empty",
        (*CURVE, *here, "--from", str(tmp_path / "missing")): "missing",
        ("aaldering-figure-5", *here, "--deals", "0"): "0 deals: expected at least 1",
        ("aaldering-figure-5", *here, "--effort", "0"): "effort 0",
        ("rebstock-tables-3.3-4.2", *here, "--deals", "7"): "has no deals: leave out --deals",
        ("solinas-figure-2", *here, "--from", str(full)): "plays no random deals: leave out --from",
        ("solinas-figure-2", *here, "--effort", "9"): "no searches of a given effort: leave out --effort",
    }
    for words, reported in cases.items():
        assert reproduce(*words) == 2, words
        error = capsys.readouterr().err
        assert reported in error, error
        assert error.count("\n") == 1
    assert not out.exists()
    two = ("--effort", "1", "2", "--out", str(tmp_path / "two"))
    assert reproduce("rebstock-tables-4.4-4.5", "--set", "policy=random", *two) == 2
    assert "effort 1 2: expected one number of worlds" in capsys.readouterr().err
    assert files(full) == {"notes": b"mine"}


@pytest.mark.slow
def test_the_pairs_of_table_4_5_are_those_of_4_4_on_the_diagonal(tmp_path: Path) -> None:
    """The same games separated by role: Def k with Sol k is Hybrid-k."""
    reproduction = find("rebstock-tables-4.4-4.5")
    rows = reproduction.rows(bench(reproduction, tmp_path, 2, (1,), policy="random", bidder="rule"))
    found = {row.label[0]: row for row in rows}
    assert len(rows) == 10 + 100
    for tricks in rebstock_hybrid.TRICKS:
        pair, whole = found[f"Def{tricks}-Sol{tricks}"], found[f"Hybrid-{tricks}"]
        assert (pair.mean, pair.low) == pytest.approx((whole.mean, whole.low))
    assert found["Def1-Sol3"].paper == "0.9"
    sums = [
        found["Def1-Sol3"].mean + found["Def3-Sol1"].mean,
        found["Def1-Sol1"].mean + found["Def3-Sol3"].mean,
    ]
    assert sums[0] == pytest.approx(sums[1])


@pytest.mark.slow
def test_the_six_way_match_by_kind(tmp_path: Path) -> None:
    reproduction = find("rebstock-tables-6.2-6.3")
    models = {"CLI": "uniform()", "PI": "thesis", "PIF20": "thesis()", "PI100": "uniform", "bidder": "rule"}
    rows = reproduction.rows(bench(reproduction, tmp_path, 1, (1,), **models))
    found = {row.label: row for row in rows}
    games = [
        GameRecord.parse(line) for line in (tmp_path / "matches/six-way/games.jsonl").read_text().splitlines()
    ]
    assert [game.state.kind for game in games] == ["suit"] * 8 + ["grand"] * 8 + ["null"] * 8
    pi, cli = "pimc(worlds=1, belief=thesis, bidder=rule)", "pimc(worlds=1, belief=uniform(), bidder=rule)"
    for kind in ("suit", "grand", "null"):
        mine = [game for game in games if game.state.kind == kind and len(set(game.agents)) > 1]
        means = [
            np.mean(
                [
                    g.state.returns("tournament_points")[s]
                    for g in mine
                    for s in range(3)
                    if g.agents[s] == name
                ]
            )
            for name in (pi, cli)
        ]
        assert found["PI : CLI, 6-way", kind, "difference"].mean == pytest.approx(means[0] - means[1])
    assert found["PI : CLI, 6-way", "suit", "defence + CLI"].paper == "-1.1"
    assert found["C : CLI", "null", "difference"].paper == "9.8"


def test_the_papers_numbers_agree_with_themselves() -> None:
    """Table 6.1's parts add up; table 6.3's differ by table 6.1's defence, all within rounding."""
    value = lambda text: float(text.rstrip("*"))  # noqa: E731
    for by_kind in rebstock_inference.TABLE_6_1.values():
        for line in by_kind:
            whole, defence, declaring = map(value, line.split())
            assert whole == pytest.approx(defence + declaring, abs=0.11)
    for line, mixed in zip(
        rebstock_inference.TABLE_6_1["PI", "CLI"], rebstock_inference.TABLE_6_3, strict=True
    ):
        _, with_cli, with_pi = map(value, mixed.split())
        assert value(line.split()[1]) == pytest.approx(with_pi - with_cli, abs=0.11)
    assert np.shape([line.split() for line in rebstock_hybrid.TABLE_4_5.split("\n")[1:-1]]) == (10, 10)


@pytest.mark.slow
def test_head_to_head_and_over_the_rule_agent(tmp_path: Path) -> None:
    """Both ways of comparing from one match, the second a difference of differences on the same deals."""
    reproduction = find("aaldering-tables-6-7")
    rows = aaldering_search.head_to_head(bench(reproduction, tmp_path, 3, (10,), rule="random"))
    found = {row.label: row for row in rows}
    match = json.loads((tmp_path / "matches/all-10/result.json").read_text())
    over = {
        each["agents"][0]: each["difference"]["mean"]
        for each in match["comparisons"]
        if each["agents"][1] == "random"
    }
    rollout, human, _ = over.values()
    label = ("rollout : human-data", "10 simulations")
    assert found[*label, "over the rule agent"].mean == pytest.approx(rollout - human)
    assert found[*label, "head to head"].paper == "-3.5"


def test_the_learning_curve_is_the_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        {"step": 0, "loss": 1.0},
        {"step": 20, "strength": 3.0, "strength_low": 1.0, "strength_high": 5.0},
    ]
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    [row] = run.run(find("aaldering-figure-8"), "small", tmp_path / "out", models={"run": str(folder)})
    assert (row.x, row.mean, row.low, row.high) == (20, 3.0, 1.0, 5.0)
    assert run.run(find("aaldering-figure-8"), "small", tmp_path / "out", models={"run": str(folder)}) == [
        row
    ]
    (folder / "metrics.jsonl").write_text(json.dumps(lines[0]) + "\n")
    with pytest.raises(ValueError, match="no metric 'strength': it has loss"):
        run.run(find("aaldering-figure-8"), "small", tmp_path / "other", models={"run": str(folder)})


@pytest.mark.slow
def test_ratios_are_what_the_measurement_says(tmp_path: Path) -> None:
    """Each belief is measured once, whatever the paper calls it; what was measured is not measured again."""
    games = tmp_path / "games"
    words = ["generate", "--agents", "rule", "--deals", "200", "--out", str(games)]
    assert main(words) == 0
    models = {"KI": "uniform", "BDI": "uniform", "BDCI": "tables(k=200)", "data": str(games)}
    rows = run.run(find("solinas-figure-2"), "smoke", tmp_path / "out", models=models)
    found = {row.label: row.mean for row in rows}
    assert {name for name, *_ in found} == {"KI", "BDI", "BDCI"}
    for (name, *where), mean in found.items():
        assert mean != 1 if name == "BDCI" and where[2] == "trick 1" else mean >= 0 or where[2] == "bits"
        assert (
            found["KI", *where] == found["BDI", *where] == pytest.approx(float(where[2] != "bits"), abs=1e-9)
        )
    assert all(row.low is None or row.low <= row.mean for row in rows)
    measurements = tmp_path / "out" / "inference" / "measurements.bin"
    before = measurements.stat().st_mtime_ns
    assert run.run(find("solinas-figure-2"), "smoke", tmp_path / "out", models=models) == rows
    assert measurements.stat().st_mtime_ns == before
    with pytest.raises(ValueError, match="'cheating' cannot be measured"):
        run.run(find("solinas-figure-2"), "smoke", tmp_path / "bad", models={**models, "BDI": "cheating"})
    assert not (tmp_path / "bad" / "inference").exists()
    with pytest.raises(ValueError, match="needs part = some: unknown part 'some'"):
        run.run(find("solinas-figure-2"), "smoke", tmp_path / "part", models={**models, "part": "some"})
    whole = run.run(find("solinas-figure-2"), "smoke", tmp_path / "all", models={**models, "part": "all"})
    assert {row.label for row in rows} <= {row.label for row in whole}
    assert max(row.count or 0 for row in whole) == 2


@pytest.mark.slow
def test_the_mean_over_worlds_is_that_of_each_deal(tmp_path: Path) -> None:
    """The means are those of the numbers of worlds, and defence and declaring add up to the difference."""
    solinas = find("solinas-tables-3-4")
    rows = run.run(solinas, "smoke", tmp_path / "out", effort=(1, 2), models={"bidder": "rule"})
    found = {row.label: row for row in rows}
    whole = [
        found["KI : NI", kind, "mean, difference"].mean for kind in ("suit", "grand", "null", "all kinds")
    ]
    assert whole[3] == pytest.approx(sum(whole[:3]) / 3)
    for pair, kind in {row.label[:2] for row in rows if row.label[2] == "1 worlds"}:
        one, two = (found[pair, kind, f"{worlds} worlds"].mean for worlds in (1, 2))
        whole, defence, declaring = (
            found[pair, kind, f"mean, {part}"].mean for part in ("difference", "defence", "declaring")
        )
        assert whole == pytest.approx((one + two) / 2)
        assert whole == pytest.approx(defence + declaring)


def test_rows() -> None:
    row = share(("a",), 3, 4, "70.0*")
    assert row is not None
    assert row.low is not None
    assert row.high is not None
    assert row.mean == 75
    assert row.low < 75 < row.high
    assert row.paper_value == 70
    assert share(("a",), 0, 0) is None
    assert compared(("a",), estimate([1.0])).low is None
    assert Row(("a",), 1.0).paper_value is None


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_source_is_taken_where_matches_start_from_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class MatchError(Exception):
        pass

    def match(bench: Bench, *_: object, **__: object) -> None:
        raise MatchError(bench.source)

    monkeypatch.setattr(Bench, "match", match)
    found, starts = find(name), False
    try:
        found.rows(replace(bench(found, tmp_path, 2, (1,)), source="games.jsonl"))
    except MatchError as error:
        starts = error.args == ("games.jsonl",)
    except (OSError, ValueError):  # other files are missing
        pass
    assert found.draws_deals == starts


def test_scales_are_reported(tmp_path: Path) -> None:
    for each in CATALOGUE.values():
        assert set(each.sizes) == set(SCALES)
        smoke, small, paper = (each.sizes[scale] for scale in SCALES)
        assert smoke.minutes <= 1
        assert smoke.deals <= small.deals <= paper.deals
    with pytest.raises(UnknownName, match="did you mean 'small'"):
        run.run(find("aaldering-figure-8"), "smal", tmp_path / "out")


def test_a_missing_model_is_named_before_anything_is_made() -> None:
    each = Reproduction("x", "X", "", (), {}, lambda bench: [], models={"M": Model("belief", "nothing")})
    with pytest.raises(ValueError, match="x needs M = nothing: unknown belief"):
        each.chosen_models({})
    assert each.chosen_models({"M": "uniform"}) == {"M": "uniform"}
