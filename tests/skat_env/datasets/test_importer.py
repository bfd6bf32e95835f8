"""Importing files of games: what becomes of every line, resuming, and the same bytes however it is done."""

import bz2
import gzip
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from skat_env.cli import main
from skat_env.commands.data import Export
from skat_env.datasets import importer
from skat_env.datasets.dataset import JOURNAL, Dataset, Verdict, is_dataset
from skat_env.datasets.importer import import_games
from skat_env.datasets.merge import merge
from skat_env.errors import OptionError, ParseError
from skat_env.records import GameRecord, Source, Status
from skat_env.skat.iss.notation import SgfGame, write
from tests.conftest import random_skat_games
from tests.helpers.datasets import files_of, stop_after
from tests.helpers.processes import kill_while_working
from tests.helpers.sgf_lines import DEAL, TAKEN, played, sgf


def make_records(games: int) -> list[GameRecord]:
    records = []
    for number, state in enumerate(random_skat_games(games, seed=21)):
        names = (f"p{number % 9}", f"p{number % 5}", f"q{number % 4}")
        date = datetime(2020, 1, 1, number // 60 % 24, number % 60, tzinfo=UTC)
        source = Source("ISS" if number % 3 else "ISS2", 1 + number // 36, number, date)
        records.append(replace(GameRecord.of("skat", state, names), source=source))
    return records


RECORDS = make_records(150)
SGF = "".join(write(record) + "\n" for record in RECORDS)
TEXT = "".join(record.text() + "\n" for record in RECORDS)


def shards_of(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in files_of(folder).items() if name.endswith(".shard")}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "games.sgf"
    path.write_text(SGF)
    return path


def test_games_come_back_from_every_format(tmp_path: Path) -> None:
    shards = None
    for name, data in {
        "a.sgf": SGF.encode(),
        "a.sgf.gz": gzip.compress(SGF.encode()),
        "a.sgf.bz2": bz2.compress(SGF.encode()),
        "a.txt": TEXT.encode(),
        "a.txt.bz2": bz2.compress(TEXT.encode()),
    }.items():
        (tmp_path / name).write_bytes(data)
        folder = tmp_path / f"{name} imported"
        dataset = import_games(tmp_path / name, folder, lines_per_shard=40)
        assert list(dataset) == RECORDS
        assert dataset.players[:3] == ("p0", "q0", "p1")
        assert (dataset.check() == Verdict.AGREES).all()
        assert dataset.manifest["lines"] == 150
        shards = shards or shards_of(folder)
        assert len(shards) == 4
        assert shards_of(folder) == shards
        assert not (folder / JOURNAL).exists()


def test_shared_games(shared: Callable[[str], Path], tmp_path: Path) -> None:
    dataset = import_games(shared("data/skat/iss_games.sgf"), tmp_path / "iss", numbered_names=True)
    statuses = [record.status for record in dataset]
    assert len(statuses) == 30
    verdicts = dataset.check().tolist()
    assert verdicts == [
        Verdict.UNJUDGED if status is Status.ABORTED else Verdict.AGREES for status in statuses
    ]
    assert set(dataset.players) == {f"player{number}" for number in range(1, len(dataset.players) + 1)}
    assert dataset.manifest["problems"] == {"bad": 0, "hidden": 0, "differing": 0}


def test_every_line_is_accounted_for(tmp_path: Path) -> None:
    good = SGF.splitlines()
    hidden = sgf(played(TAKEN + "1 C.S8.H7", 5) + " 1 RE", deal=".".join(["??"] * 20 + DEAL.split(".")[20:]))
    differing = sgf("1 p 2 p 0 p", "d:0 win v:18 m:1 bidok p:61 t:5 s:0 z:0")
    lines = [
        good[0],
        "",
        "rubbish",
        good[1],
        hidden,
        good[0],
        differing,
        "   ",
        good[2][:-30],
        good[3],
        good[0],
    ]
    path = tmp_path / "games.sgf"
    path.write_text("\n".join(lines))
    for lines_per_shard in (1, 3, 100):
        dataset = import_games(path, tmp_path / str(lines_per_shard), lines_per_shard=lines_per_shard)
        assert len(dataset) == 6
        assert [line for shard in dataset.shards() for line in shard.lines] == [1, 4, 6, 7, 10, 11]
        problems = {kind: list(dataset.problems(kind)) for kind in ("bad", "hidden", "differing")}
        assert [line for line, _ in problems["bad"]] == [3, 9]
        assert problems["bad"][0][1].startswith("expected a game as")
        assert problems["hidden"] == [(5, "cards of forehand and middlehand are hidden")]
        assert [line for line, _ in problems["differing"]] == [7]
        assert "verdict win should be passed" in problems["differing"][0][1]
        assert dataset.manifest["problems"] == {"bad": 2, "hidden": 1, "differing": 1}
        assert dataset.manifest["duplicates"] == [[6, 1], [11, 1]]
        assert dataset.check().tolist().count(Verdict.DIFFERS) == 1


def test_ids_restart_with_every_server(tmp_path: Path) -> None:
    record = RECORDS[0]
    sources = [Source(server, series, 1) for server in ("a", "b") for series in (1, 2)] + [Source("b", 1, 1)]
    path = tmp_path / "games"
    path.write_text(
        "".join(replace(record, source=source).text() + "\n" for source in [*sources, None, None])
    )
    for lines_per_shard in (2, 100):
        dataset = import_games(path, tmp_path / str(lines_per_shard), lines_per_shard=lines_per_shard)
        assert dataset.manifest["duplicates"] == [[5, 3]]


def test_our_own_games_are_told_apart_by_what_was_played(tmp_path: Path) -> None:
    """A match has a deal several times, and every run counts its deals from 0."""
    record, other = (replace(each, source=Source("match", 0, 1), seed=1) for each in RECORDS[:2])
    late = record.state.after_auction(record.state.deal, 1, (0, 18, 0))
    games = [
        record,
        replace(record, seed=2),
        replace(record, agents=other.agents),
        replace(record, state=late, status=Status.ABORTED, result=None),
        replace(record, source=Source("generate", 0, 1)),
        record,
    ]
    path = tmp_path / "games"
    path.write_text("".join(each.text() + "\n" for each in games))
    for lines_per_shard in (2, 100):
        dataset = import_games(path, tmp_path / str(lines_per_shard), lines_per_shard=lines_per_shard)
        assert len(dataset) == 6
        assert dataset.manifest["duplicates"] == [[6, 1]]


def test_matches_of_the_same_seed_have_other_games(tmp_path: Path) -> None:
    """Of deals from files, as SGF, which does not keep the seed, and in another mode; the same games are found."""

    def match(name: str, *words: str) -> str:
        given = ["match", "--agents", "rule", "random", *words, "--out", str(tmp_path / name)]
        assert main(given) == 0
        return (tmp_path / name / "games.jsonl").read_text()

    def duplicates(text: str) -> int:
        path = tmp_path / "joined"
        path.write_text(text)
        found = import_games(path, tmp_path / "dataset").manifest["duplicates"]
        shutil.rmtree(tmp_path / "dataset")
        return len(found)

    seeds = [match(seed, "--deals", "5", "--seed", seed) for seed in ("1", "2")]
    swapped = match("swapped", "--deals", "5", "--seed", "1", "--mode", "swapped")
    given = [match(f"from{seed}", "--from", str(tmp_path / seed / "games.jsonl")) for seed in ("1", "2")]
    assert duplicates("".join(seeds)) == duplicates("".join(given)) == duplicates(seeds[0] + swapped) == 0
    import_games(tmp_path / "1" / "games.jsonl", tmp_path / "games")
    assert Export(tmp_path / "games", tmp_path / "games.sgf").run() == 0
    sgf_text = (tmp_path / "games.sgf").read_text()
    assert duplicates(sgf_text) == 0
    assert duplicates(seeds[0] * 2) == duplicates(sgf_text * 2) == 30


def test_games_of_another_kind_are_bad_lines(tmp_path: Path) -> None:
    path = tmp_path / "games"
    path.write_text(
        TEXT.splitlines()[0] + "\n" + TEXT.splitlines()[1].replace('"skat"', '"bridge"', 1) + "\n"
    )
    dataset = import_games(path, tmp_path / "imported")
    assert [line for line, _ in dataset.problems("bad")] == [2]
    path.write_text('{"game":1}\n{}\n')
    with pytest.raises(
        ParseError, match=r"no line of .*games can be read: .*games:1: .* does not have the type str"
    ):
        import_games(path, tmp_path / "other")
    assert not (tmp_path / "other").exists()


def test_numbered_names(source: Path, tmp_path: Path) -> None:
    plain = import_games(source, tmp_path / "plain", lines_per_shard=40)
    numbered = import_games(source, tmp_path / "numbered", numbered_names=True, lines_per_shard=40)
    assert shards_of(plain.folder) == shards_of(numbered.folder)
    names = {name: f"player{number}" for number, name in enumerate(plain.players, 1)}
    assert [game.agents for game in numbered] == [tuple(map(names.get, record.agents)) for record in RECORDS]
    for data in files_of(numbered.folder).values():
        assert not any(f'"{name}"'.encode() in data for name in plain.players)


# Stopping and going on.


@pytest.mark.parametrize("stops", [(0,), (1,), (4,), (0, 0, 2), (1, 1, 1)])
@pytest.mark.parametrize("numbered_names", [True, False])
def test_a_stopped_import_goes_on(
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stops: tuple[int, ...],
    numbered_names: bool,
) -> None:
    whole = import_games(source, tmp_path / "whole", numbered_names, lines_per_shard=27)
    folder = tmp_path / "stopped"
    for shards in stops:
        with monkeypatch.context() as patch:
            stop_after(shards, importer, patch)
            with pytest.raises(KeyboardInterrupt):
                import_games(source, folder, numbered_names, lines_per_shard=27)
        assert is_dataset(folder)
        with pytest.raises(ParseError, match="unfinished import"):
            Dataset(folder)
    resumed: list[str] = []
    with monkeypatch.context() as patch:
        pack = importer.pack_block
        patch.setattr(importer, "pack_block", lambda *arguments: resumed.append("") or pack(*arguments))
        import_games(source, folder, numbered_names, lines_per_shard=27)
    assert len(resumed) == 6 - sum(stops)
    assert files_of(folder) == files_of(whole.folder)


def test_a_finished_import_is_left_as_it_is(source: Path, tmp_path: Path) -> None:
    folder = import_games(source, tmp_path / "games").folder
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert len(import_games(source, folder)) == 150
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_other_folders_are_refused(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other.sgf"
    other.write_text(SGF[:-1])
    unfinished, finished, foreign = tmp_path / "unfinished", tmp_path / "finished", tmp_path / "foreign"
    with monkeypatch.context() as patch:
        stop_after(1, importer, patch)
        with pytest.raises(KeyboardInterrupt):
            import_games(source, unfinished, lines_per_shard=40)
    import_games(source, finished)
    foreign.mkdir()
    (foreign / "thesis.tex").write_text("precious")
    before = [files_of(folder) for folder in (unfinished, finished, foreign)]
    for folder in (unfinished, finished, foreign):
        with pytest.raises(FileExistsError, match="nothing is changed"):
            import_games(other, folder, lines_per_shard=40)
        with pytest.raises(FileExistsError, match="nothing is changed"):
            import_games(source, folder, numbered_names=True)
    assert [files_of(folder) for folder in (unfinished, finished, foreign)] == before


def test_one_import_at_a_time(source: Path, tmp_path: Path) -> None:
    refused: list[str] = []

    def again(_: int) -> None:
        with pytest.raises(BlockingIOError, match="another process is working in") as error:
            import_games(source, tmp_path / "games", lines_per_shard=40)
        refused.append(str(error.value))

    import_games(source, tmp_path / "games", progress=again, lines_per_shard=40)
    assert len(refused) == 4


def test_what_a_kill_leaves_behind_goes(source: Path, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    (folder / f".{JOURNAL}.partial").write_text("{")
    import_games(source, folder)
    assert sorted(files_of(folder)) == ["00000.shard", "dataset.json"]


@pytest.mark.parametrize("lines", [0, -1, True])
def test_blocks_have_a_line_at_least(lines: int, source: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=f"an import with lines_per_shard={lines}"):
        import_games(source, tmp_path / "games", lines_per_shard=lines)
    assert not (tmp_path / "games").exists()


def test_a_file_that_cannot_be_made_is_named(source: Path, tmp_path: Path) -> None:
    import_games(source, tmp_path / "games")
    target = tmp_path / "nowhere" / "games.jsonl"
    with pytest.raises(FileNotFoundError) as error:
        Export(tmp_path / "games", target).run()
    assert error.value.filename == str(target)


def test_sources_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "games.bz2"
    path.write_bytes(bz2.compress(SGF.encode())[:-40])
    with pytest.raises(ParseError, match=r"games\.bz2 cannot be read"):
        import_games(path, tmp_path / "games", lines_per_shard=10)
    (tmp_path / "empty").write_text("")
    with pytest.raises(ParseError, match="it is empty"):
        import_games(tmp_path / "empty", tmp_path / "games2")
    assert not (tmp_path / "games2").exists()
    with pytest.raises(FileNotFoundError):
        import_games(tmp_path / "missing", tmp_path / "games2")


@pytest.mark.slow
def test_two_workers_make_the_same_bytes_as_one(source: Path, tmp_path: Path) -> None:
    one = import_games(source, tmp_path / "one", workers=1, lines_per_shard=7)
    done: list[int] = []
    two = import_games(source, tmp_path / "two", workers=2, lines_per_shard=7, progress=done.append)
    assert files_of(two.folder) == files_of(one.folder)
    assert len(done) == 22
    assert done == sorted(done)
    assert done[-1] == source.stat().st_size


KILLED = """
import sys, time
from pathlib import Path
from skat_env.datasets import importer
if __name__ == "__main__":
    whole = importer.write_shard
    def slow(path, *arguments):
        whole(path, *arguments)
        if path.name == "00002.shard":
            Path(sys.argv[3]).touch()
            time.sleep(60)
    importer.write_shard = slow
    importer.import_games(Path(sys.argv[1]), Path(sys.argv[2]), workers=2, lines_per_shard=20)
"""


@pytest.mark.slow
def test_a_killed_import_goes_on_and_leaves_no_worker(source: Path, tmp_path: Path) -> None:
    script, folder, written = tmp_path / "killed.py", tmp_path / "killed", tmp_path / "written"
    script.write_text(KILLED)
    words = [str(script), str(source), str(folder), str(written)]
    assert kill_while_working(words, written.exists, tmp_path / "printed") < 2
    whole = import_games(source, tmp_path / "whole", lines_per_shard=20)
    import_games(source, folder, lines_per_shard=20)
    assert files_of(folder) == files_of(whole.folder)


# Export.


@pytest.mark.parametrize("name", ["games.sgf", "games.sgf.gz", "games.jsonl", "games.jsonl.bz2"])
def test_exports_come_back(
    source: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = import_games(source, tmp_path / "games").folder
    target = tmp_path / "out" / name
    target.parent.mkdir()
    assert Export(folder, target).run() == 0
    data = target.read_bytes()
    data = (
        gzip.decompress(data)
        if name.endswith(".gz")
        else bz2.decompress(data)
        if name.endswith(".bz2")
        else data
    )
    assert data.decode() == (SGF if ".sgf" in name else TEXT)
    assert [path.name for path in target.parent.iterdir()] == [name]
    with pytest.raises(FileExistsError, match="exists already"):
        Export(folder, target).run()
    assert list(import_games(target, tmp_path / "again")) == RECORDS


def test_exports_keep_how_the_server_ended_games(tmp_path: Path) -> None:
    penalty = "d:-1 penalty v:0 m:0 bidok p:0 t:0 s:0 z:0 p0:0 p1:0 p2:1 l:2 to:-1 r:0"
    lines = [
        sgf(played(TAKEN + "1 C.S8.H7")),
        sgf("1 18 0 p w LE.2", penalty),
        sgf(TAKEN + "1 G.S8.H7 0 ?? w TI.1", "d:1 loss v:-240 m:2 bidok p:0 t:0 s:1 z:1 l:-1 to:1"),
        sgf("1 p w TI.2", penalty),
    ]
    source = tmp_path / "games.sgf"
    source.write_text("".join(f"table .{number} end {line}\n" for number, line in enumerate(lines)))
    dataset = import_games(source, tmp_path / "games", lines_per_shard=3)
    assert [record.status.value for record in dataset] == ["complete", "aborted", "claimed", "aborted"]
    assert [shard.header.get("endings", []) != [] for shard in dataset.shards()] == [True, True]
    merged = merge([dataset], tmp_path / "merged")
    assert list(merged) == list(dataset)
    for name in ("games", "merged"):
        for target in ("out.sgf", "out.jsonl"):
            out = tmp_path / f"{name}.{target}"
            assert Export(tmp_path / name, out).run() == 0
            again = import_games(out, tmp_path / f"{name}.{target}.games")
            assert list(again) == list(dataset)
            exported = [write(record) for record in again]
            assert [SgfGame.parse(line) for line in exported][1:] == [SgfGame.parse(line) for line in lines][
                1:
            ]
    plain = import_games(tmp_path / "games.out.sgf", tmp_path / "plain", lines_per_shard=1)
    first = next(plain.shards())
    assert "endings" not in first.header
    assert "ending" not in first.arrays


def test_numbered_exports(source: Path, tmp_path: Path) -> None:
    folder = import_games(source, tmp_path / "games").folder
    assert Export(folder, tmp_path / "numbered", numbered_names=True, format="sgf").run() == 0
    numbered = import_games(source, tmp_path / "numbered games", numbered_names=True)
    assert list(import_games(tmp_path / "numbered", tmp_path / "again")) == list(numbered)
