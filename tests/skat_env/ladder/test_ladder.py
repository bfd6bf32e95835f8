"""Ladders: rows are what matches on the same starts say, they go on when stopped, and refuse what is not theirs."""

import dataclasses
import hashlib
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skat_env import registry
from skat_env.cli import main
from skat_env.ladder.benchmark import TRACKS, LadderGame, ladder_game, packed_benchmark, read_benchmark
from skat_env.ladder.folder import MODES, SEED
from skat_env.ladder.plot import draw_ladder
from skat_env.ladder.result import Ladder
from skat_env.ladder.row import Row, Standing
from skat_env.match.folder import MatchFolder
from skat_env.match.play import MatchConfig, play_match
from skat_env.match.result import summarise
from skat_env.match.statistics import Estimate
from skat_env.registry import game_names, get_game, has_part, make_agent

SHIPPED = [game for game in game_names() if has_part(game, "ladder")]
THESIS = "rule(variant=thesis)"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> LadderGame:
    """The ladder of Klaverjas with quick agents."""
    part = dataclasses.replace(ladder_game("klaverjas"), anchors=("random", "rule"), agents=(THESIS,))
    monkeypatch.setitem(registry._registered, (registry.PART_GROUP, "klaverjas.ladder"), part)
    return part


def ladder(out: Path, *words: str) -> int:
    return main(["ladder", "--game", "klaverjas", "--out", str(out), "--no-plot", *words])


def rows(out: Path) -> dict[str, Any]:
    """The rows of a result, without what may differ between two runs of one ladder."""
    found = json.loads((out / "result.json").read_text())["rows"]
    for row in found:
        for track in row["tracks"].values():
            del track["milliseconds"], track["commit"]
    return {row["agent"]: row for row in found}


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(out: Path, capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one sentence with which a ladder ends that changes nothing."""
    before = files(out)
    capsys.readouterr()
    assert ladder(out, *words) == 2
    told = capsys.readouterr().err
    assert told.startswith("skat-env: ")
    assert told.count("\n") == 1
    assert files(out) == before
    return told


@pytest.mark.parametrize("game", SHIPPED)
def test_a_benchmark_has_different_deals_and_starts_of_the_cardplay(game: str) -> None:
    benchmark, about = read_benchmark(game), get_game(game)
    assert "ladder_starts.py" in benchmark.headline
    assert [len(benchmark.starts[track]) for track in TRACKS] == [1000, 1000]
    states = {track: [about.state.parse(text) for text in benchmark.starts[track]] for track in TRACKS}
    assert len({state.dealt for found in states.values() for state in found}) == 2000
    assert all(not state.history() and not state.is_over for state in states["deals"])
    assert all(state.stage == about.stages[-1] and not state.plays() for state in states["cardplay"])
    assert all(
        state.text() == text for state, text in zip(states["deals"], benchmark.starts["deals"], strict=True)
    )


@pytest.mark.parametrize("game", SHIPPED)
def test_the_agents_of_a_ladder_can_be_made_and_differ(game: str) -> None:
    part = ladder_game(game)
    names = [make_agent(agent, game).name for agent in (*part.anchors, *part.agents)]
    assert len(set(names)) == len(names)


def test_rows_are_what_matches_on_the_starts_say(quick: LadderGame, tmp_path: Path) -> None:
    assert ladder(tmp_path / "out", "--deals", "3") == 0
    found, benchmark = rows(tmp_path / "out"), read_benchmark("klaverjas")
    for track in TRACKS:
        for agent, anchor in ((THESIS, "rule"), (THESIS, "random"), ("rule", "random"), ("random", "rule")):
            config = MatchConfig("klaverjas", (agent, anchor), 3, SEED, MODES[track], source="a file")
            games = [game for deal in play_match(config, benchmark.starts[track]) for game in deal]
            [comparison] = summarise(config, games).comparisons
            row = found[agent]["tracks"][track]
            assert row["deals"] == 3
            assert row["against"][anchor] == pytest.approx(dataclasses.asdict(comparison.difference))
            if comparison.defence is not None and comparison.declaring is not None:
                assert row["defence"][anchor]["mean"] == pytest.approx(comparison.defence.mean)
                assert row["declaring"][anchor]["mean"] == pytest.approx(comparison.declaring.mean)
    order = [row["agent"] for row in json.loads((tmp_path / "out/result.json").read_text())["rows"]]
    leads = [found[agent]["tracks"]["deals"]["against"].get("rule", {"mean": 0.0})["mean"] for agent in order]
    assert leads == sorted(leads, reverse=True)


def test_rows_do_not_depend_on_workers_or_on_how_deals_were_added(quick: LadderGame, tmp_path: Path) -> None:
    once, twice = tmp_path / "once", tmp_path / "twice"
    assert ladder(once, "--deals", "5") == 0
    assert ladder(twice, "--deals", "2", "--workers", "2") == 0
    assert ladder(twice, "--deals", "5", "--workers", "2") == 0
    assert rows(twice) == rows(once)
    for name in ("ladder.json", "00-deals/games.jsonl", "01-cardplay/games.jsonl"):
        assert (twice / name).read_bytes() == (once / name).read_bytes()


def test_an_agent_keeps_its_deals_and_is_added_with_fewer(quick: LadderGame, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert ladder(out, "--deals", "4", "--agents", "random", "rule") == 0
    before = files(out)
    assert ladder(out, "--deals", "2", "--add", THESIS) == 0
    assert {name: found["tracks"]["deals"]["deals"] for name, found in rows(out).items()} == {
        "random": 4, "rule": 4, THESIS: 2,
    }  # fmt: skip
    assert {name for name, content in files(out).items() if before.get(name, content) != content} == {
        str(out / name) for name in ("ladder.json", "ladder.md", "result.json")
    }
    assert ladder(out, "--deals", "3") == 0
    assert [found["tracks"]["cardplay"]["deals"] for found in rows(out).values()] == [4, 3, 4]


@pytest.mark.parametrize("writes", [0, 2, 7])
def test_a_stopped_ladder_goes_on(
    writes: int, quick: LadderGame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--deals", "3", "--add", THESIS)
    assert ladder(tmp_path / "whole", *words) == 0
    append, left = MatchFolder.append, iter([True] * writes)

    def interrupted(self: MatchFolder, games: Any) -> None:
        if not next(left, False):
            raise KeyboardInterrupt
        append(self, games)

    with monkeypatch.context() as patch:
        patch.setattr(MatchFolder, "append", interrupted)
        # The first track has three deals, so that more writes reach the second.
        assert ladder(tmp_path / "out", *words) == (130 if writes < 6 else 0)
    if writes < 6:
        assert not (tmp_path / "out/result.json").exists()
        assert ladder(tmp_path / "out", *words) == 0
    assert rows(tmp_path / "out") == rows(tmp_path / "whole")


def test_an_agent_that_the_ladder_has_is_not_added(
    quick: LadderGame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert ladder(out, "--deals", "1", "--agents", "random", "rule") == 0
    assert "the ladder has rule" in refused(out, capsys, "--add", "rule")
    assert "the ladder has rule" in refused(out, capsys, "--add", "rule(variant=figure4)", "--deals", "1")
    other = tmp_path / "other"
    published = str(out / "result.json")
    assert "the ladder has rule" in refused(other, capsys, "--add", "rule", "--from", published)
    assert not list(other.iterdir())


def test_published_rows_stand_beside_those_of_the_folder(quick: LadderGame, tmp_path: Path) -> None:
    published, out = tmp_path / "published", tmp_path / "out"
    assert ladder(published, "--deals", "2", "--agents", "random", "rule") == 0
    words = ("--deals", "2", "--add", THESIS, "--from", str(published / "result.json"))
    assert ladder(out, *words) == 0
    assert ladder(published, "--deals", "2", "--add", THESIS) == 0
    assert rows(out) == rows(published)
    assert sorted(path.name for path in out.iterdir() if path.is_dir()) == ["01-cardplay", "01-deals"]


@pytest.mark.parametrize("changed", [{"name": "random, an older one"}, {"agent": "random()"}])
def test_an_agent_that_plays_again_has_one_row(
    changed: dict[str, str], quick: LadderGame, tmp_path: Path
) -> None:
    published, out = tmp_path / "published", tmp_path / "out"
    assert ladder(published, "--deals", "2", "--agents", "random", "rule") == 0
    result = json.loads((published / "result.json").read_text())
    old = next(row for row in result["rows"] if row["agent"] == "random")
    old |= changed
    (tmp_path / "old.json").write_text(json.dumps(result))
    words = ("--deals", "2", "--agents", "random", "--from", str(tmp_path / "old.json"))
    assert ladder(out, *words) == 0
    found = json.loads((out / "result.json").read_text())["rows"]
    assert sorted(row["agent"] for row in found) == ["random", "rule"]
    assert next(row["name"] for row in found if row["agent"] == "random") == "random"


DIFFERENCE = {"mean": 1.5, "low": 1.0, "high": 2.0, "p": 0.01, "pairs": 20}
ENCOUNTER = {
    "form": "alone",
    "engine": "theirs",
    "names": ["rule", "engine(x)"],
    "difference": DIFFERENCE,
}
"""Of the result of a gauntlet."""


def test_what_agents_have_more_than_programs_stands_in_their_rows(quick: LadderGame, tmp_path: Path) -> None:
    gauntlet = tmp_path / "gauntlet.json"
    encounters = [{**ENCOUNTER, "form": "mirrored", "engine": "none"}, ENCOUNTER]
    played = {"game": "klaverjas", "rules": "choice=free", "encounters": encounters}
    gauntlet.write_text(json.dumps(played))
    words = ("--deals", "2", "--agents", "random", "rule", "--gauntlet", str(gauntlet))
    assert ladder(tmp_path / "out", *words) == 0
    found = rows(tmp_path / "out")
    assert found["rule"]["programs"] == {"theirs": DIFFERENCE}
    assert found["random"]["programs"] == {}
    assert "alone against theirs" in (tmp_path / "out" / "ladder.md").read_text()
    # Another ladder shows them with the rows.
    again = tmp_path / "again"
    words = ("--deals", "2", "--add", THESIS, "--from", str(tmp_path / "out" / "result.json"))
    assert ladder(again, *words) == 0
    assert rows(again)["rule"]["programs"] == {"theirs": DIFFERENCE}


@pytest.mark.parametrize("rules", [None, "legality=amsterdam choice=free"])
def test_a_gauntlet_under_other_rules_is_refused(
    rules: str | None, quick: LadderGame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gauntlet = tmp_path / "gauntlet.json"
    gauntlet.write_text(json.dumps({"game": "klaverjas", "rules": rules, "encounters": [ENCOUNTER]}))
    told = refused(tmp_path / "out", capsys, "--deals", "2", "--gauntlet", str(gauntlet))
    assert f"{gauntlet} is the result of a gauntlet under the rules '{rules or ''}'" in told
    gauntlet.write_text(gauntlet.read_text().replace('"rule"', '"ruel"'))
    told = refused(tmp_path / "out", capsys, "--deals", "2", "--gauntlet", str(gauntlet))
    assert "damaged" not in told
    assert f"{gauntlet} has something that is not here: unknown agent" in told


@pytest.mark.parametrize(
    "damage",
    [
        '{"game": "skat", "encounters": []}',
        '{"game": "klaverjas", "encounters": []}',
        '{"game": "klaverjas", "encounters": [{"form": "alone", "names": ["rule"]}]}',
        '{"game": "klaverjas", "encounters": [{"form": "alone", "engine": "x", "names": ["nobody"]}]}',
        '{"game": "klaverjas", "encounters": [3]}',
    ],
)
def test_results_that_are_no_gauntlet_are_refused(
    damage: str, quick: LadderGame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gauntlet = tmp_path / "gauntlet.json"
    gauntlet.write_text(damage)
    told = refused(tmp_path / "out", capsys, "--deals", "2", "--gauntlet", str(gauntlet))
    assert str(gauntlet) in told


@pytest.mark.parametrize("damage", ["{}", "[1]", "", '{"rows": [], "benchmark": {"sha256": "0"}}'])
def test_results_of_other_ladders_are_refused(
    damage: str, quick: LadderGame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "result.json"
    path.write_text(damage)
    assert str(path) in refused(tmp_path / "out", capsys, "--from", str(path))
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda row: row.pop("agent"),
        lambda row: row.update(tracks=3),
        lambda row: row["tracks"]["deals"].update(declared=[1]),
        lambda row: row["tracks"]["deals"]["against"]["rule"].pop("p"),
    ],
)
def test_damaged_rows_are_one_sentence(
    spoil: Callable[[Any], Any], quick: LadderGame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ladder(tmp_path / "whole", "--deals", "1") == 0
    result = json.loads((tmp_path / "whole/result.json").read_text())
    assert [Row.parse(row).as_json() for row in result["rows"]]
    spoil(next(row for row in result["rows"] if row["agent"] == "random"))
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result))
    assert f"{path} is damaged" in refused(tmp_path / "out", capsys, "--from", str(path))


def test_a_benchmark_of_another_hash_is_refused(
    quick: LadderGame, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "changed.xz"
    lines = lzma.decompress(quick.file.read_bytes()).splitlines()
    file.write_bytes(lzma.compress(b"\n".join(lines[:-1])))
    part = dataclasses.replace(quick, file=file)
    monkeypatch.setitem(registry._registered, (registry.PART_GROUP, "klaverjas.ladder"), part)
    assert f"{file} is not the benchmark of klaverjas" in refused(tmp_path / "out", capsys)
    assert not (tmp_path / "out").exists()


def test_the_folder_of_another_benchmark_is_refused(
    quick: LadderGame, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    assert ladder(out, "--deals", "1") == 0
    benchmark = read_benchmark("klaverjas")
    packed = packed_benchmark("other", {track: [*benchmark.starts[track][:2]] for track in TRACKS})
    (tmp_path / "other.xz").write_bytes(packed)
    part = dataclasses.replace(quick, file=tmp_path / "other.xz", sha256=hashlib.sha256(packed).hexdigest())
    monkeypatch.setitem(registry._registered, (registry.PART_GROUP, "klaverjas.ladder"), part)
    assert "holds another ladder" in refused(out, capsys)


@pytest.mark.parametrize("deals", ["0", "1001", "-3"])
def test_more_deals_than_the_benchmark_holds_are_refused(
    deals: str, quick: LadderGame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = refused(tmp_path / "out", capsys, "--deals", deals)
    assert f"--deals {deals}: the benchmark of klaverjas holds 1 to 1,000 deals" in told
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--add", "nobody"), "nobody"),
        (("--agents", "rule", "nobody"), "nobody"),
        (("--add", THESIS, "--agents", "rule"), "--add plays one agent"),
        (("--workers", "-1"), "workers"),
        (("--from", "missing.json"), "missing.json"),
    ],
)
def test_other_bad_input_is_one_sentence(
    words: tuple[str, ...],
    expected: str,
    quick: LadderGame,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert expected in refused(tmp_path / "out", capsys, *words)
    assert not (tmp_path / "out").exists()


def test_an_agent_that_became_another_is_refused(
    quick: LadderGame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert ladder(out, "--deals", "1", "--add", THESIS) == 0
    head = out / "ladder.json"
    head.write_text(head.read_text().replace(f': "{THESIS}"', ': "rule(variant=older)"'))
    assert "when it was rule(variant=older)" in refused(out, capsys, "--deals", "2")


def test_a_game_without_a_ladder_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ladder", "--game", "chess", "--out", str(tmp_path / "out")]) == 2
    assert "chess" in capsys.readouterr().err


@pytest.fixture
def drawn(quick: LadderGame, tmp_path: Path) -> Path:
    pytest.importorskip("matplotlib")
    words = ["--deals", "1", "--out", str(tmp_path / "out")]
    assert main(["ladder", "--game", "klaverjas", *words]) == 0
    return tmp_path / "out"


@pytest.mark.parametrize(("lead", "scale"), [(1.5, "linear"), (-70.0, "symlog")])
def test_the_points_of_the_figure_can_be_read_off(
    lead: float, scale: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    benchmark, anchors = read_benchmark("klaverjas"), ladder_game("klaverjas").anchors
    against = {anchors[-1]: Estimate(lead, lead - 1, lead + 1, 0.01, 300)}
    standing = Standing(300, against, {}, {}, {}, 0.1, None)
    figures: list[Any] = []
    monkeypatch.setattr(pyplot, "close", figures.append)
    draw_ladder(Ladder.of(benchmark, anchors, [Row("a", "a", {"deals": standing})]), tmp_path / "ladder.png")
    axes = figures[0].axes[0]
    low, high = axes.get_ylim()
    assert axes.get_yscale() == scale
    assert low < lead - 1
    assert high > lead + 1
    assert sum(low <= tick <= high for tick in axes.get_yticks()) >= 2
    monkeypatch.undo()
    pyplot.close(figures[0])


def test_the_figure_and_the_markdown_are_written(drawn: Path) -> None:
    assert (drawn / "ladder.png").read_bytes().startswith(b"\x89PNG")
    text = (drawn / "ladder.md").read_text()
    assert text.count(f"| `{THESIS}` | 1 |") == len(TRACKS)
    assert all(line.count("|") == 10 - 1 for line in text.splitlines() if line.startswith("|"))
