"""The shelf: nothing outside it is reached, its games pass the filters, and results are shown as they are."""

import itertools
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs the extra 'table'")
pytest.importorskip("httpx2", reason="needs httpx2 for the test client")

from starlette.applications import Starlette
from starlette.testclient import TestClient

from skat_env.agents.exploit.config import ExploitConfig
from skat_env.cli import main
from skat_env.datasets.dataset import DatasetWriter
from skat_env.match.folder import match_folder
from skat_env.match.play import MatchConfig, play_match
from skat_env.records import GameRecord
from skat_env.skat import GAME as SKAT
from skat_env.solvers.review import NothingToReview, review
from skat_env.table import shelf as module
from skat_env.table.answers import JsonRoutes
from skat_env.table.shelf import Shelf
from tests.conftest import ROOT, random_games

RESULTS = ROOT / "benchmarks" / "results"


def records(games: int = 12, seed: int = 4) -> list[GameRecord]:
    played = random_games(SKAT, games, seed)
    return [GameRecord.of("skat", state, ("ann", "bob", "ann")) for state in played]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shelf with a bit of everything, and a secret beside it."""
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.json").write_text('{"secret": 1}')
    (outside / "secret.jsonl").write_text(records()[0].text() + "\n")
    root = outside / "shelf"
    (root / "results").mkdir(parents=True)
    (root / ".hidden").mkdir()
    (root / ".hidden" / "secret.json").write_text("{}")
    (root / "games.jsonl").write_text("".join(each.text() + "\n" for each in records()) + "{broken\n")
    with DatasetWriter(root / "set", "skat") as writer:
        for each in records():
            writer.add(each)
    shutil.copy(RESULTS / "match_policy_pimc160.json", root / "results")
    shutil.copy(RESULTS / "assumptions.json", root / "results")
    shutil.copy(RESULTS / "worlds_curve.png", root / "results")
    (root / "results" / "page.html").write_text("<script>alert(1)</script>")
    (root / "results" / "notes.md").write_text("nothing")
    (root / "run").mkdir()
    (root / "run" / "run.json").write_text('{"learner": "ppo", "config": {"seed": 1}}')
    lines = [
        {"step": step, "loss": 1 / (step + 1), "win": 0.5, "win_low": 0.4, "win_high": 0.6}
        for step in range(9)
    ]
    (root / "run" / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    os.symlink(outside / "secret.json", root / "link.json")
    os.symlink(outside, root / "way")
    os.symlink(root / "games.jsonl", root / "same.jsonl")
    return root


@pytest.fixture(scope="module")
def there(folder: Path) -> TestClient:
    return TestClient(Starlette(routes=Shelf(folder).routes(JsonRoutes())))


def got(there: TestClient, what: str, status: int = 200, **words: Any) -> dict[str, Any]:
    response = there.get(f"/api/shelf{what}", params=words)
    assert response.status_code == status, response.text
    found: dict[str, Any] = response.json()
    if status != 200:
        assert list(found) == ["error"]
        assert "\n" not in found["error"]
    return found


def test_a_folder_is_listed(there: TestClient) -> None:
    kinds = {each["path"]: each["kind"] for each in got(there, "")["entries"]}
    assert kinds == {
        "games.jsonl": "games",
        "same.jsonl": "games",
        "set": "games",
        "results": "folder",
        "run": "run",
    }
    inner = {each["path"]: each["kind"] for each in got(there, "", path="results")["entries"]}
    assert inner == {
        "results/match_policy_pimc160.json": "match",
        "results/assumptions.json": "result",
        "results/worlds_curve.png": "picture",
        "results/page.html": "report",
    }


WAYS_OUT = (
    "..",
    "../secret.json",
    "results/../../secret.json",
    "/etc/passwd",
    "//etc/passwd",
    "link.json",
    "way",
    "way/secret.json",
    "way/secret.jsonl",
    ".hidden",
    ".hidden/secret.json",
    "results/./../../secret.jsonl",
    "..\\secret.json",
    "%2e%2e/secret.json",
    "~/x",
    "x\0y",
    "a" * 5000,
    "nothing",
    "games.jsonl/x",
)


@pytest.mark.parametrize("path", WAYS_OUT)
def test_no_path_leaves_the_shelf(there: TestClient, folder: Path, path: str) -> None:
    for what in ("", "/games", "/match", "/ladder", "/run", "/result"):
        assert "secret" not in got(there, what, 404, path=path)["error"].replace(path, "")
    assert there.get("/shelf/file", params={"path": path}).status_code == 404
    with pytest.raises(ValueError):
        Shelf(folder).reading(path, 0)


def test_no_link_in_a_folder_leaves_the_shelf(tmp_path: Path) -> None:
    """What a link leads to is not there: neither as a file, nor as a part of a match, a ladder, a run or a dataset."""
    outside, shelf = tmp_path / "outside", tmp_path / "shelf"
    outside.mkdir()
    secret = {"learner": "secret", "config": {"secret": 1}, "games": 1, "deals": 1}
    for name in ("run.json", "match.json", "ladder.json", "result.json"):
        (outside / name).write_text(json.dumps(secret))
    (outside / "metrics.jsonl").write_text('{"step": 1, "secret": 2}\n')
    (outside / "games.jsonl").write_text(records()[0].text() + "\n")
    with DatasetWriter(outside / "set", "skat") as writer:
        writer.add(records()[0])
    for folder, names in {
        "run": ("run.json", "metrics.jsonl"),
        "match": ("match.json", "result.json", "games.jsonl"),
        "played": ("result.json",),
        "ladder": ("ladder.json", "result.json"),
        "set": [f"set/{each.name}" for each in (outside / "set").iterdir()],
    }.items():
        (shelf / folder).mkdir(parents=True)
        for name in names:
            os.symlink(outside / name, shelf / folder / Path(name).name)
    with match_folder(shelf / "so_far", MatchConfig("skat", ("rule", "random"), 9)):
        os.symlink(outside / "result.json", shelf / "so_far" / "result.json")
    shutil.copy(RESULTS / "match_policy_pimc160.json", shelf / "played" / "kept.json")
    os.symlink(shelf / "played" / "kept.json", shelf / "so_far" / "kept.json")
    there = TestClient(Starlette(routes=Shelf(shelf).routes(JsonRoutes())))
    kinds = {each["path"]: each["kind"] for each in got(there, "")["entries"]}
    assert kinds == {
        "run": "folder",
        "match": "folder",
        "played": "folder",
        "ladder": "folder",
        "set": "games",
        "so_far": "match",
    }
    assert got(there, "/run", path="run") == {
        "path": "run",
        "learner": "",
        "config": {},
        "command": "",
        "commit": "",
        "curves": {},
    }
    for path in ("match", "played", "so_far"):
        got(there, "/match", 404, path=path)
    got(there, "/ladder", 404, path="ladder")
    got(there, "/games", 404, path="set")
    got(there, "/games", 404, path="match/games.jsonl")
    (shelf / "so_far" / "result.json").unlink()
    assert not got(there, "/match", path="so_far")["finished"]


def test_the_shelf_must_be_a_folder(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError, match="no folder"):
        Shelf(tmp_path / "nothing")


@pytest.mark.parametrize("path", ["games.jsonl", "set", "same.jsonl"])
def test_games_pass_the_filters(there: TestClient, path: str) -> None:
    everything = got(there, "/games", path=path)
    assert everything["total"] == len(records()) + (path != "set")
    assert everything["next"] is None
    played = records()
    assert everything["unreadable"] == (path != "set")
    shown = [each for each in everything["games"] if "error" not in each]
    assert [each["returns"] for each in shown] == [list(each.returns()) for each in played]

    def numbers(**filters: Any) -> list[int]:
        return [each["number"] for each in got(there, "/games", path=path, **filters)["games"]]

    for kind in SKAT.kinds:
        assert numbers(kind=kind) == [n for n, each in enumerate(played) if each.state.kind == kind]
    outcomes = [each.state.outcome() for each in played]
    for won in (True, False):
        expected = [n for n, each in enumerate(outcomes) if each is not None and each.won == won]
        assert numbers(won="yes" if won else "no") == expected
    assert numbers(player="BO") == list(range(len(played)))
    assert numbers(player="carl") == []
    assert numbers(kind="grand", won="no", count=1) == numbers(kind="grand", won="no")[:1]


def test_costs_are_those_of_reviews(there: TestClient) -> None:
    def costs(record: GameRecord) -> tuple[int, ...] | None:
        try:
            return review(record).costs
        except NothingToReview:
            return None

    expected = [costs(each) for each in records()]
    found = got(there, "/games", path="set", costs="yes")["games"]
    assert [each["costs"] for each in found] == [None if each is None else list(each) for each in expected]
    least = sorted(sum(each) for each in expected if each)[4]
    assert least > 0
    chosen = got(there, "/games", path="set", cost=least)["games"]
    assert [each["number"] for each in chosen] == [
        n for n, each in enumerate(expected) if each and sum(each) >= least
    ]
    anns = got(there, "/games", path="set", cost=least, player="ann")["games"]
    assert [each["number"] for each in anns] == [
        n for n, each in enumerate(expected) if each and each[0] + each[2] >= least
    ]


def test_costs_in_the_lines_of_reviews_are_taken_from_there(
    there: TestClient, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["review", str(folder / "set"), "--json"]) == 0
    (folder / "run" / "reviewed.jsonl").write_text(capsys.readouterr().out)
    monkeypatch.setattr(module, "review", None)
    found = got(there, "/games", path="run/reviewed.jsonl")["games"]
    assert found
    assert all(each["costs"] for each in found)


def test_long_searches_go_on_where_they_stopped(there: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    at: int | None = 0
    seen = []
    while at is not None:
        found = got(there, "/games", path="set", **{"from": at}, kind="suit")
        assert found["searched"] == 1
        seen += [each["number"] for each in found["games"]]
        at = found["next"]
    assert seen == [n for n, each in enumerate(records()) if each.state.kind == "suit"]


@pytest.mark.parametrize(
    "words",
    [
        {"won": "perhaps"},
        {"count": 0},
        {"count": 10**9},
        {"from": -1},
        {"cost": "x"},
        {"from": 10**6},
        {"from": "--5"},
    ],
)
def test_filters_that_cannot_be(there: TestClient, words: dict[str, Any]) -> None:
    assert "expected" in got(there, "/games", 400, path="set", **words)["error"]


def test_a_match_is_shown(there: TestClient, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "results" / "match"
    assert (
        main(["match", "--agents", "rule", "random", "--deals", "3", "--seed", "1", "--out", str(out)]) == 0
    )
    told = json.loads((out / "result.json").read_text())
    found = got(there, "/match", path="results/match")
    assert found["rows"][0]["mean"] == told["comparisons"][0]["difference"]["mean"]
    assert {each["name"] for each in found["agents"]} == {"rule", "random"}
    assert "results/match/games.jsonl" in found["links"]
    assert got(there, "/games", path="results/match/games.jsonl")["total"] == told["games"]
    alone = got(there, "/match", path="results/match_policy_pimc160.json")
    assert [row["name"] for row in alone["rows"][:3]] == ["whole", "defence", "declaring"]
    got(there, "/match", 400, path="results/assumptions.json")
    got(there, "/match", 404, path="results")


def test_a_match_that_is_being_played_is_shown_so_far(
    there: TestClient, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results, config = folder / "results", MatchConfig("skat", ("rule", "random"), 9, 1)
    with match_folder(results / "played", config) as kept:
        begun = got(there, "/match", path="results/played")
        assert (begun["config"]["deals"], begun["deals"], begun["rows"]) == (9, 0, [])
        for number, games in enumerate(itertools.islice(play_match(config), 4)):
            kept.append(games if number < 3 else games[:2])
        so_far = got(there, "/match", path="results/played")
    main(f"match --agents rule random --deals 3 --seed 1 --out {results / 'three'}".split())
    three = got(there, "/match", path="results/three")
    assert [each["finished"] for each in (begun, so_far, three)] == [False, False, True]
    assert so_far["rows"]
    for key in ("config", "deals", "games", "unit", "rows"):
        assert so_far[key] == three[key]
    monkeypatch.setattr(module, "MAX_JOURNAL", 100)
    assert got(there, "/match", path="results/played") == begun


def test_exploit_runs_that_go_on_and_damaged_matches_are_no_matches(there: TestClient, folder: Path) -> None:
    out = folder / "results" / "run"
    with match_folder(out, ExploitConfig("skat", ("rule", "random"), 9, mode="mirrored", against="rule")):
        assert got(there, "/match", path="results/run")["rows"] == []
    out = folder / "results" / "damaged"
    with match_folder(out, MatchConfig("skat", ("rule", "random"), 9)):
        head = out / "match.json"
        head.write_text(head.read_text().replace("all-seats", "no-seats"))
        assert "match.json is damaged" in got(there, "/match", 400, path="results/damaged")["error"]


def test_what_is_damaged_is_named_by_its_path_on_the_shelf(there: TestClient, folder: Path) -> None:
    run = folder / "results" / "killed"
    run.mkdir()
    for text, words in (
        ('{"step":\n', "results/killed/metrics.jsonl, line 1 is damaged"),
        ('{"step": 1, "x": 2}\n{"st', ""),
    ):
        (run / "metrics.jsonl").write_text(text)
        told = got(there, "/run", 400 if words else 200, path="results/killed")
        assert str(folder) not in str(told)
        assert told["error"].startswith(words) if words else told["curves"] == {"x": [[1, 2, None, None]]}
    (run / "run.json").write_text("[]")
    assert got(there, "/run", 400, path="results/killed")["error"].startswith(
        "results/killed/run.json is damaged"
    )


def test_a_ladder_is_shown(there: TestClient, folder: Path) -> None:
    estimate = {"mean": 1.5, "low": 0.5, "high": 2.5, "p": 0.01, "pairs": 9}
    track = {
        "deals": 9,
        "against": {"rule": estimate},
        "defence": {},
        "declaring": {},
        "declared": {"grand": {"games": 4, "won": 3}},
        "milliseconds": 2.0,
        "commit": None,
    }
    ladder = {
        "game": "skat",
        "benchmark": {"made_by": "x"},
        "anchors": ["random", "rule"],
        "rows": [{"agent": "me", "name": "me()", "tracks": {"deals": track}}],
    }
    (folder / "results" / "ladder.json").write_text(json.dumps(ladder))
    assert {"kind": "ladder"}.items() <= next(
        each for each in got(there, "", path="results")["entries"] if each["name"] == "ladder.json"
    ).items()
    (table,) = got(there, "/ladder", path="results/ladder.json")["tables"]
    assert table["rows"][0][:2] == ["me", "9"]
    assert "+1.50 [+0.50, +2.50]" in table["rows"][0]
    assert len(table["columns"]) == len(table["rows"][0])
    ladder["rows"] = [{"agent": "me"}]
    (folder / "results" / "ladder.json").write_text(json.dumps(ladder))
    got(there, "/ladder", 400, path="results/ladder.json")
    (folder / "results" / "ladder.json").unlink()


def test_a_training_run_is_shown(there: TestClient) -> None:
    found = got(there, "/run", path="run")
    assert found["learner"] == "ppo"
    assert list(found["curves"]) == ["loss", "win"]
    assert found["curves"]["win"][3] == [3, 0.5, 0.4, 0.6]
    assert found["curves"]["loss"][0] == [0, 1.0, None, None]
    got(there, "/run", 404, path="nothing")


def test_results_and_pictures(there: TestClient, folder: Path) -> None:
    told = json.loads((RESULTS / "assumptions.json").read_text())
    assert got(there, "/result", path="results/assumptions.json")["result"] == told
    got(there, "/result", 404, path="results")
    (folder / "results" / "bad.json").write_text("{")
    assert "damaged" in got(there, "/result", 400, path="results/bad.json")["error"]
    assert got(there, "/games", path="results/bad.json")["unreadable"] == 1
    assert "games" in got(there, "/games", 400, path="results/notes.md")["error"]
    (folder / "results" / "bad.json").unlink()
    picture = there.get("/shelf/file", params={"path": "results/worlds_curve.png"})
    assert picture.content == (RESULTS / "worlds_curve.png").read_bytes()
    report = there.get("/shelf/file", params={"path": "results/page.html"})
    assert "sandbox" in report.headers["content-security-policy"]
    assert "script-src" not in report.headers["content-security-policy"]
    assert report.headers["x-content-type-options"] == "nosniff"
    for path in ("games.jsonl", "results/notes.md", "results/assumptions.json", "results"):
        assert there.get("/shelf/file", params={"path": path}).status_code == 404
