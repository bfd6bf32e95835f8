"""`skat-env replay` and `skat-env data info`: what they print and return."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tyro

from skat_env.commands.data import Data, Export, Import, Info, Sample, Split
from skat_env.commands.replay import Replay
from skat_env.datasets.array_file import read_arrays, write_arrays
from skat_env.datasets.dataset import shard_path
from skat_env.datasets.importer import import_games
from skat_env.errors import ParseError
from skat_env.records import GameRecord, Source
from skat_env.skat.iss.notation import write
from tests.conftest import random_skat_games
from tests.helpers.datasets import Run
from tests.helpers.sgf_lines import DEAL, TAKEN, played, sgf

KEYS = [
    "id", "contract", "bid", "declarer", "won", "value", "list_score", "card_points", "tricks", "matadors",
    "schneider", "schwarz", "overbid", "tournament_points", "status", "matches_record",
]  # fmt: skip
RECORDS = [
    replace(GameRecord.of("skat", state, ("a", "b", "c")), source=Source("ISS", 1, number))
    for number, state in enumerate(random_skat_games(20, seed=8))
]


def test_games_of_the_server(
    shared: Callable[[str], Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    source = shared("data/skat/iss_games.sgf")
    run = Run(Replay(source), capsys)
    assert (run.status, len(run.rows)) == (0, 30)
    summary = (
        "30 games: 18 complete, 7 claimed, 3 passed, 2 aborted; 0 differ from their record, 0 malformed lines"
    )
    assert run.err.strip() == summary
    for row in run.rows:
        assert list(row)[: len(KEYS)] == KEYS
        assert row["matches_record"] is (None if row["status"] == "aborted" else True)
        assert len(row) == len(KEYS) or row["status"] == "aborted"
    assert run.rows[6]["overbid"] is True
    assert run.rows[3] | {"id": 0} == {
        **dict.fromkeys(KEYS),
        "id": 0,
        "contract": "",
        "bid": 18,
        "declarer": -1,
        "status": "aborted",
        "reason": "seat 2 left",
        "recorded": run.rows[3]["recorded"],
    }
    assert (run.rows[5]["status"], run.rows[5]["list_score"], run.rows[5]["card_points"]) == (
        "claimed",
        96,
        120,
    )
    dataset = import_games(source, tmp_path / "iss").folder
    again = Run(Replay(dataset), capsys)
    assert (again.status, again.err) == (0, run.err)
    assert [row for row in again.rows if row["status"] != "aborted"] == [
        row for row in run.rows if row["status"] != "aborted"
    ]
    for target in ("x.sgf.bz2", "x.jsonl"):
        Export(dataset, tmp_path / target).run()
        exported = Run(Replay(tmp_path / target), capsys)
        assert (exported.status, exported.err) == (0, run.err)
        assert exported.rows == (run.rows if ".sgf" in target else again.rows)


def test_all_formats_give_the_same_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sgf").write_text("".join(write(record) + "\n" for record in RECORDS))
    (tmp_path / "text").write_text("".join(record.text() + "\n" for record in RECORDS))
    import_games(tmp_path / "text", tmp_path / "dataset")
    runs = [Run(Replay(tmp_path / name), capsys) for name in ("sgf", "text", "dataset")]
    assert [run.status for run in runs] == [0, 0, 0]
    assert runs[0].rows == runs[1].rows == runs[2].rows
    for record, row in zip(RECORDS, runs[0].rows, strict=True):
        ours = record.state.result()
        assert row["id"] == {"server": "ISS", "series": 1, "id": record.source.id if record.source else 0}
        assert {key: row[key] for key in KEYS[1:-3]} == {key: getattr(ours, key) for key in KEYS[1:-3]}
        assert row["tournament_points"] == list(record.state.returns())
        assert list(row) == KEYS


@pytest.mark.parametrize("changed", ["v:", "p:", "t:", "m:"])
def test_a_result_that_differs(tmp_path: Path, capsys: pytest.CaptureFixture[str], changed: str) -> None:
    line = write(next(record for record in RECORDS if record.state.soloist >= 0))
    words = line.split(" ")
    wrong = " ".join(f"{changed}11" if word.startswith(changed) else word for word in words)
    (tmp_path / "x.sgf").write_text(line + "\n\n" + wrong + "\n")
    run = Run(Replay(tmp_path / "x.sgf"), capsys)
    assert run.status == 1
    assert [row["matches_record"] for row in run.rows] == [True, False]
    assert f"{tmp_path}/x.sgf:3: " in run.err
    assert "11 should be" in run.err
    assert "1 differ from their record, 0 malformed" in run.err


def test_a_folder_without_a_dataset(tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=r"is not a dataset: it has no dataset\.json"):
        Replay(tmp_path).run()


def test_a_malformed_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x").write_text(RECORDS[0].text() + "\n" + RECORDS[1].text()[:-9] + "\n")
    run = Run(Replay(tmp_path / "x"), capsys)
    assert (run.status, len(run.rows)) == (1, 1)
    assert f"{tmp_path}/x:2: expected a record as a JSON object" in run.err
    assert "1 malformed" in run.err


def test_hidden_and_judged_games_are_no_mismatch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hidden = sgf(played(TAKEN + "1 C.S8.H7", 5) + " 1 RE", deal=".".join(["??"] * 20 + DEAL.split(".")[20:]))
    judged = sgf(TAKEN + "1 C.S8.H7 0 SA w TI.1", "d:1 loss v:-288 m:-11 bidok p:11 t:0 s:0 z:0 l:-1 to:1")
    (tmp_path / "x.sgf").write_text(hidden + "\n" + judged + "\n")
    run = Run(Replay(tmp_path / "x.sgf"), capsys)
    assert run.status == 0
    assert [row["status"] for row in run.rows] == ["aborted", "aborted"]
    assert run.rows[0]["reason"] == "cards of forehand and middlehand are hidden"
    assert (run.rows[1]["reason"], run.rows[1]["recorded"]["list_score"]) == ("seat 1 ran out of time", -288)


def test_a_damaged_dataset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "text").write_text("".join(record.text() + "\n" for record in RECORDS))
    folder = import_games(tmp_path / "text", tmp_path / "dataset").folder
    assert Run(Info(folder, check=True), capsys).status == 0
    header, arrays = read_arrays(shard_path(folder, 0))
    actions = np.array(arrays["actions"])
    actions[0] = 60
    result = np.array(arrays["result"])
    result[1] += 2
    rest = {key: header[key] for key in header if key not in ("arrays", "bytes")}
    write_arrays(shard_path(folder, 0), rest, arrays | {"actions": actions, "result": result})
    run = Run(Replay(folder), capsys)
    assert (run.status, len(run.rows)) == (1, 19)
    assert "game 0, line 1 of the source: action 60 is not one of 0..45" in run.err
    assert "game 1, line 2 of the source: tournament_points" in run.err
    info = Run(Info(folder, check=True), capsys)
    assert info.status == 1
    assert "line 1: illegal\nline 2: differs\n" in info.err


def test_info_tells_of_problems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [RECORDS[0].text(), *(["rubbish"] * 12), RECORDS[0].text()]
    (tmp_path / "text").write_text("\n".join(lines))
    run = Run(Import(tmp_path / "text", tmp_path / "dataset", workers=1), capsys)
    assert run.status == 0
    for text in (
        "games       2 of skat",
        "servers     ISS",
        "12          lines could not",
        "2 more:",
        "line 14: the game of",
    ):
        assert text in run.out
    assert "line 13: " not in run.out
    assert "line 13: " in Run(Info(tmp_path / "dataset", problems=True), capsys).out


def test_options_as_the_command_line_has_them(tmp_path: Path) -> None:
    assert tyro.cli(Replay, args=["games.sgf"]) == Replay(Path("games.sgf"))
    cases = {
        "info x --problems": Info(Path("x"), problems=True),
        "import a b --numbered-names --workers 2": Import(Path("a"), Path("b"), True, 2),
        "export a b --format sgf": Export(Path("a"), Path("b"), "sgf"),
        "split a --out b --parts x=0.5 y=0.5 --seed 2": Split(Path("a"), Path("b"), ("x=0.5", "y=0.5"), 2),
        "sample a -n 5 --decisions": Sample(Path("a"), 5, decisions=True),
    }
    for words, command in cases.items():
        assert tyro.cli(Data, args=words.split()).command == command
