"""Damaged datasets: refused with one sentence or read as they were, never a crash."""

import json
from pathlib import Path

import numpy as np
import pytest

from skat_env.cli import main
from skat_env.datasets.array_file import read_arrays, write_arrays
from skat_env.datasets.dataset import MANIFEST, Dataset, DatasetWriter, shard_path
from skat_env.datasets.merge import merge
from skat_env.datasets.searches import Searches
from skat_env.datasets.survey import survey
from skat_env.errors import ParseError
from tests.helpers.damage import content, without_checksums
from tests.helpers.records import make_records

SPARSE = 41
"""The quick test damages every 41st byte."""


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A dataset of a few games, some with search results."""
    records = make_records()
    with DatasetWriter(tmp_path / "small", "skat") as writer:
        for number, record in enumerate([*records[:3], records[7]]):
            steps = len(record.state.history())
            found = Searches.of([(np.array([0.25, 0.75]), 1.5)] * steps) if number % 2 else None
            writer.add(record, found)
    return tmp_path / "small"


def described(folder: Path) -> tuple[object, ...]:
    """The same, and all that the manifest says but for its checksum."""
    known = ("format", "game", "shards", "players", "versions", "command", "commit", "machine")
    return content(folder), {key: Dataset(folder).manifest.get(key) for key in known}


@pytest.mark.parametrize("every", [SPARSE, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("flip", [0x01, 0x10, 0xFF])
def test_every_byte_of_a_shard_is_refused_or_changes_nothing(small: Path, every: int, flip: int) -> None:
    path, whole = shard_path(small, 0), content(small)
    data = path.read_bytes()
    refused = 0
    for at in range(0, len(data), every):
        path.write_bytes(data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :])
        try:
            assert content(small) == whole, at
        except ParseError as error:
            assert "00000.shard" in str(error)
            assert "\n" not in str(error)
            refused += 1
    assert refused > len(data) // every // 2


@pytest.mark.parametrize("every", [SPARSE, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("flip", [0x01, 0x02, 0x04, 0x08])
def test_damage_without_checksums_does_no_harm(small: Path, every: int, flip: int) -> None:
    path, whole = shard_path(small, 0), content(small)
    data = without_checksums(path)
    path.write_bytes(data)
    assert content(small) == whole
    for at in range(0, len(data), every):
        path.write_bytes(data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :])
        try:
            content(small)
            survey(Dataset(small))
        except ValueError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize("every", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_every_byte_of_a_manifest_is_refused_or_changes_nothing(small: Path, every: int) -> None:
    path, whole = small / MANIFEST, described(small)
    data = path.read_bytes()
    for at in range(0, len(data), every):
        for flip in (0x01, 0x1C, 0xFF):
            path.write_bytes(data[:at] + bytes([data[at] ^ flip]) + data[at + 1 :])
            try:
                assert described(small) == whole, at
            except ParseError as error:
                assert str(small) in str(error)
                assert "\n" not in str(error)


def test_a_manifest_without_a_checksum_is_read(small: Path) -> None:
    path, whole = small / MANIFEST, described(small)
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"players": ["x", *manifest["players"][1:]]}))
    with pytest.raises(
        ParseError, match="checksum is another; if you changed it yourself, remove its key 'crc32'"
    ):
        Dataset(small)
    del manifest["crc32"]
    path.write_text(json.dumps(manifest))
    assert described(small) == whole


@pytest.mark.parametrize(
    "change",
    [
        {"shards": [-4]},
        {"shards": [10**12]},
        {"shards": [4.0]},
        {"shards": 4},
        {"players": ["a"]},
        {"players": [1, 2]},
        {"players": "ab"},
        {"source": 3},
        {"source": {"name": "x"}},
        {"duplicates": [[1]]},
    ],
)
def test_wrong_values_of_a_manifest_are_refused(
    small: Path, change: dict[str, object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = json.loads((small / MANIFEST).read_text()) | change
    del manifest["crc32"]
    (small / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(ParseError, match="small"):
        merge([Dataset(small)], tmp_path / "merged")
    for command in (["info"], ["sample"], ["info", "--check"]):
        assert main(["data", command[0], str(small), *command[1:]]) == 2
        assert "small" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("length", np.zeros(3, np.uint8)),
        ("low", np.zeros(700, np.uint32)),
        ("status", np.full(4, 9, np.uint8)),
        ("result", np.zeros((4, 2), np.int16)),
        ("player", np.full((4, 3), 1000, np.uint16)),
        ("start", np.full(4, 99, np.uint8)),
        ("server", np.full(4, 99, np.uint8)),
        ("series", np.full(4, -1, np.int64)),
        ("seed", np.full(4, 2**64 - 1, np.uint64)),
        ("claim", np.full(4, 1, np.int8)),
        ("actions", np.zeros(1, np.uint8)),
        ("weights", np.zeros((2, 2), np.uint8)),
    ],
)
def test_columns_that_contradict_each_other_are_refused(small: Path, name: str, value: np.ndarray) -> None:
    path = shard_path(small, 0)
    header, columns = read_arrays(path)
    write_arrays(path, header, {**columns, name: value})
    with pytest.raises(ParseError, match=r"00000\.shard"):
        content(small)
    with pytest.raises(ParseError, match=r"00000\.shard"):
        Dataset(small).check()
