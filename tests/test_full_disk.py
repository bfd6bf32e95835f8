"""A full disk: one sentence that names the file, and nothing left that stands in the way of the next try."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from skat_env.cli import main
from skat_env.match.folder import JOURNAL
from skat_env.tools.journal import Journal
from tests.helpers.records import write_dataset

FULL = Path("/dev/full")
OUTPUTS = {
    "--help": (),
    "match --help": (),
    "": (),
    "data info DATASET": (),
    "data sample DATASET": (),
    "data nonsense": (),
    "match --agents rule random --deals 1": pytest.mark.slow,
    "reproduce --list": pytest.mark.slow,
    "train --help": pytest.mark.slow,
}
"""Command lines that print."""


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("words", [pytest.param(words, marks=marks) for words, marks in OUTPUTS.items()])
def test_output_that_cannot_be_written_is_one_sentence(words: str, tmp_path: Path) -> None:
    dataset = str(write_dataset(tmp_path / "games").folder)
    command = [dataset if word == "DATASET" else word for word in words.split()]
    with FULL.open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "skat_env", *command], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    if words != "data nonsense":  # of which tyro tells on standard error
        assert done.stderr == "skat-env: [Errno 28] No space left on device: 'standard output'\n"


def fill(monkeypatch: pytest.MonkeyPatch, files: int) -> None:
    """Lets the disk be full after some files."""
    written = 0

    def fsync(_: int) -> None:
        nonlocal written
        written += 1
        if written > files:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fsync)


@pytest.mark.parametrize("command", ["split", "merge"])
def test_a_dataset_that_does_not_fit_leaves_nothing(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """However far it came; the same command then works."""
    dataset = write_dataset(tmp_path / "games").folder
    out = tmp_path / "made" / "out"
    words = [
        "data",
        command,
        str(dataset),
        *([str(dataset)] if command == "merge" else []),
        "--out",
        str(out),
    ]
    for files in range(100):
        with pytest.MonkeyPatch.context() as monkeypatch:
            fill(monkeypatch, files)
            status = main(words)
        error = capsys.readouterr().err
        if status == 0:
            break
        assert status == 2
        assert error.startswith("skat-env: [Errno 28] No space left on device: '")
        assert str(tmp_path / "made") in error
        assert error.count("\n") == 1
        assert not [path for path in (tmp_path / "made").rglob("*") if path != out]
    assert files == (6 if command == "split" else 2)
    made = {path.name for path in (out / "train" if command == "split" else out).iterdir()}
    assert made == {"00000.shard", "dataset.json"}


def test_a_match_that_does_not_fit_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Full:
        """A file on a full disk."""

        def write(self, text: str) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    words = ["match", "--agents", "rule", "random", "--deals", "2", "--out", str(tmp_path / "out")]
    made = Journal.__init__

    def on_full_disk(self: Journal, path: Path) -> None:
        made(self, path)
        self._file = Full()  # type: ignore[assignment]

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "__init__", on_full_disk)
        assert main(words) == 2
    assert f"No space left on device: '{tmp_path / 'out' / JOURNAL}'" in capsys.readouterr().err
    assert main(words) == 0
