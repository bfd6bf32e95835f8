"""Datasets: packed games and back, the checked replay against a plain twin, damaged files."""

import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skat_env.datasets.array_file import MAGIC, read_arrays, write_arrays
from skat_env.datasets.dataset import MANIFEST, Dataset, DatasetWriter, Shard, Verdict, shard_path
from skat_env.datasets.packing import COLUMNS
from skat_env.errors import IllegalAction, ParseError
from skat_env.records import GameRecord, Status
from skat_env.registry import get_game
from tests.conftest import random_games, random_skat_games
from tests.helpers.records import RECORDS, klaverjas_records, write_dataset
from tests.helpers.records import records as skat_records
from tests.helpers.sgf_lines import value_or_refusal


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    return write_dataset(tmp_path_factory.mktemp("data") / "games")


def test_games_come_back(dataset: Dataset) -> None:
    assert len(dataset) == len(RECORDS) == 63
    assert list(dataset) == RECORDS
    assert [dataset[index] for index in range(-63, 63)] == RECORDS + RECORDS
    assert dataset[15:45:10] == RECORDS[15:45:10]
    assert dataset.state(21) == RECORDS[21].state
    assert [len(shard) for shard in dataset.shards()] == [20, 20, 20, 3]
    for index in (63, -64):
        with pytest.raises(IndexError, match="of a dataset of 63"):
            dataset[index]


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
@settings(max_examples=20)
@given(st.data())
def test_any_games_come_back(
    game: str, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """All options of the rules, all starts, every kind of end and of provenance."""
    records = data.draw(st.lists(skat_records() if game == "skat" else klaverjas_records(), max_size=6))
    folder = tmp_path_factory.mktemp("any") / "games"
    with DatasetWriter(folder, game, 4) as writer:
        for record in records:
            writer.add(record)
    dataset = Dataset(folder)
    assert list(dataset) == records
    assert dataset.check().tolist() == [plain_verdict(each, each.state.history()) for each in records]


def test_klaverjas_is_some_tens_of_bytes(tmp_path: Path) -> None:
    with DatasetWriter(tmp_path / "games", "klaverjas") as writer:
        for state in random_games(get_game("klaverjas"), 400, 2):
            writer.add(GameRecord.of("klaverjas", state, ("a", "b", "a", "b")))
    assert shard_path(tmp_path / "games", 0).stat().st_size / 400 < 32 + 30


def test_a_pickle_is_the_folder(dataset: Dataset) -> None:
    assert list(dataset)
    data = pickle.dumps(dataset)
    assert len(data) < 1000
    assert list(pickle.loads(data)) == RECORDS


def test_columns(dataset: Dataset) -> None:
    assert dataset.column("length").tolist() == [len(record.state.history()) for record in RECORDS]
    assert dataset.column("result").shape == (63, 3)
    seats = [[dataset.players[index] for index in row] for row in dataset.column("player").tolist()]
    assert seats == [list(record.agents) for record in RECORDS]
    assert {name: dataset.column(name).shape[0] for name in COLUMNS} == dict.fromkeys(COLUMNS, 63)
    with pytest.raises(KeyError, match="no column 'lengths'"):
        dataset.column("lengths")


def test_a_game_is_some_tens_of_bytes(tmp_path: Path) -> None:
    games = [GameRecord.of("skat", state, ("a", "b", "c")) for state in random_skat_games(400, seed=2)]
    dataset = write_dataset(tmp_path / "games", games, games_per_shard=1000)
    stored = shard_path(dataset.folder, 0).stat().st_size / len(games)
    assert stored < np.mean([len(game.state.history()) for game in games]) + 30


def test_empty_datasets(tmp_path: Path) -> None:
    dataset = write_dataset(tmp_path / "games", [])
    assert (len(dataset), list(dataset), dataset.check().tolist()) == (0, [], [])
    assert dataset.column("id").tolist() == []


def test_a_writer_refuses_a_folder_with_anything_in_it(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(FileExistsError, match="nothing is changed"):
        DatasetWriter(tmp_path, "skat")
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_dataset_that_was_not_finished_is_refused(tmp_path: Path) -> None:
    writer = DatasetWriter(tmp_path / "games", "skat", 2)
    for record in RECORDS[:5]:
        writer.add(record)
    writer.__exit__(KeyboardInterrupt, KeyboardInterrupt())
    with pytest.raises(ParseError, match="unfinished"):
        Dataset(tmp_path / "games")


# The checked replay.


def plain_verdict(record: GameRecord, actions: list[int]) -> Verdict:
    """The slow twin of the kernel's check."""
    start = record.state.clone()
    while start.history():
        start.undo()
    try:
        for action in actions:
            start.apply(action)
    except IllegalAction:
        return Verdict.ILLEGAL
    if record.status is not Status.ABORTED and start.is_over == (record.status is Status.CLAIMED):
        return Verdict.BAD_END
    if record.status is Status.ABORTED or record.result is None:
        return Verdict.UNJUDGED
    agrees = start.returns(None, record.claim) == record.result
    return Verdict.AGREES if agrees else Verdict.DIFFERS


def test_check_agrees_with_the_rules(dataset: Dataset) -> None:
    verdicts = dataset.check().tolist()
    assert verdicts == [plain_verdict(record, record.state.history()) for record in RECORDS]
    assert set(verdicts) == {Verdict.AGREES, Verdict.UNJUDGED}
    assert verdicts.count(Verdict.AGREES) > 45


def rewritten(folder: Path, **arrays: np.ndarray) -> Shard:
    """The one shard of a dataset with other arrays."""
    path = shard_path(folder, 0)
    header, old = read_arrays(path)
    write_arrays(path, {key: header[key] for key in header if key not in ("arrays", "bytes")}, old | arrays)
    return Shard(path)


@given(st.data())
def test_check_finds_what_was_changed(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    games = [record for record in RECORDS if record.status is not Status.ABORTED][:12]
    dataset = write_dataset(tmp_path_factory.mktemp("changed") / "games", games, games_per_shard=100)
    (shard,) = dataset.shards()
    game = data.draw(st.integers(0, 11))
    end = int(shard.rows.ends[game])
    begin = end - len(games[game].state.history())
    actions = np.array(shard.arrays["actions"])
    at, action = data.draw(st.integers(begin, end - 1)), data.draw(st.integers(0, 255))
    actions[at] = action
    changed = rewritten(dataset.folder, actions=actions)
    verdicts = changed.check().tolist()
    expected = [Verdict.AGREES] * 12
    expected[game] = plain_verdict(games[game], actions[begin:end].tolist())
    assert verdicts == expected
    if expected[game] is Verdict.ILLEGAL:
        with pytest.raises(IllegalAction):
            changed.rows.state(game)


def test_check_finds_other_results_deals_and_lengths(tmp_path: Path) -> None:
    games = RECORDS[:3]
    folder = write_dataset(tmp_path / "games", games).folder
    _, arrays = read_arrays(shard_path(folder, 0))
    result = np.array(arrays["result"])
    result[1] += 1
    changed = rewritten(folder, result=result).check()
    assert changed[1] in (Verdict.DIFFERS, Verdict.UNJUDGED)
    low = np.array(arrays["low"])
    low[0] ^= 1
    changed_deal = rewritten(folder, low=low)
    assert changed_deal.check()[0] == Verdict.BAD_DEAL
    with pytest.raises(ParseError, match="cards at its places"):
        changed_deal.rows.state(0)
    with pytest.raises(ParseError, match="actions are missing"):
        rewritten(folder, actions=np.array(arrays["actions"])[:-1]).check()
    with pytest.raises(ParseError, match="the column start has 9"):
        rewritten(folder, actions=np.array(arrays["actions"]), start=np.array([0, 0, 9], np.uint8)).check()


# Files.


def test_arrays_come_back(tmp_path: Path) -> None:
    arrays = {
        "a": np.arange(100, dtype=np.uint16),
        "b": np.zeros((3, 0), np.float32),
        "c": np.arange(12, dtype=np.int64).reshape(3, 4),
    }
    write_arrays(tmp_path / "x", {"note": "Jörg", "new key": [1]}, arrays)
    header, found = read_arrays(tmp_path / "x")
    assert (header["note"], header["new key"]) == ("Jörg", [1])
    assert {name: array.tolist() for name, array in found.items()} == {
        name: a.tolist() for name, a in arrays.items()
    }
    assert [array.dtype for array in found.values()] == [array.dtype for array in arrays.values()]
    assert not any(array.flags.writeable for array in found.values() if array.size)
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    write_arrays(tmp_path / "y", {}, {})
    assert read_arrays(tmp_path / "y")[1] == {}


def test_truncated_files_are_refused_at_every_length(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_arrays(path, {"note": "x"}, {"a": np.arange(40, dtype=np.uint16), "b": np.arange(3)})
    data = path.read_bytes()
    for length in [*range(0, len(data), 7), len(data) - 1]:
        path.write_bytes(data[:length])
        with pytest.raises(ParseError, match=r"is truncated|is not a data file"):
            read_arrays(path)
    path.write_bytes(data + b"\0")
    with pytest.raises(ParseError, match="truncated or damaged: expected"):
        read_arrays(path)


def test_foreign_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_arrays(path, {}, {"a": np.arange(8)})
    data = path.read_bytes()
    for changed, expected in (
        (b"PK\3\4" + data, "is not a data file of skat_env"),
        (MAGIC + b"\2" + data[9:], "has version 2"),
        (data.replace(b'"arrays"', b'"arrows"'), "is damaged"),
        (data.replace(b'"<i8"', b'"|O8"'), "is damaged"),
        (data.replace(b'"offset":0', b'"offset":8'), "is damaged"),
        (data.replace(b'"shape":[8]', b'"shape":"8"'), "is damaged"),
        (data.replace(b"{", b"[", 1), "is damaged"),
    ):
        assert changed != data
        path.write_bytes(changed)
        with pytest.raises(ParseError, match=expected):
            read_arrays(path)


@given(st.data())
def test_damaged_headers_are_refused_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("damaged") / "x"
    write_arrays(path, {"note": "x"}, {"a": np.arange(4)})
    content = bytearray(path.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    value_or_refusal(lambda: read_arrays(path))


def broken(folder: Path) -> Iterator[tuple[str, str]]:
    """Ways to break a dataset, and what is said of it."""
    manifest = json.loads((folder / MANIFEST).read_text())
    del manifest["crc32"]
    for changes, expected in (
        ({"format": "another"}, "does not describe a dataset"),
        ({"game": "bridge"}, "unknown game 'bridge'"),
        ({"shards": [61, 2]}, "the dataset expects another number"),
    ):
        yield json.dumps(manifest | changes), expected
    yield "[]", "does not describe a dataset"
    yield "{", "does not describe a dataset"


def test_broken_datasets_are_refused(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "games").folder
    for text, expected in broken(folder):
        (folder / MANIFEST).write_text(text)
        with pytest.raises(ValueError, match=expected):
            list(Dataset(folder))
    shards = write_dataset(tmp_path / "lacking")
    shard_path(shards.folder, 1).unlink()
    with pytest.raises(ParseError, match=r"00001\.shard, which is missing"):
        Dataset(shards.folder)
    with pytest.raises(ParseError, match=r"is not a dataset: it has no dataset\.json"):
        Dataset(tmp_path)
    write_arrays(tmp_path / "foreign", {"game": "skat"}, {"a": np.arange(3)})
    with pytest.raises(ParseError, match="is not a shard of a dataset"):
        Shard(tmp_path / "foreign")
