"""Files that grow line by line."""

import errno
import io
from pathlib import Path

import pytest

from skat_env.tools.journal import Journal


def test_lines_are_added_and_read(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    first = Journal(path)
    assert first.read() == []
    first.append(["a", "b"])
    first.append(["ü"])
    assert first.read() == ["a", "b", "ü"]  # they are flushed
    first.close()
    second = Journal(path)
    second.append(["c"])
    assert Journal(path).read() == ["a", "b", "ü", "c"]


def test_a_half_written_line_is_dropped_with_the_next(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_text("a\nb\nhal")
    journal = Journal(path)
    assert journal.read() == ["a", "b"]
    assert path.read_text() == "a\nb\nhal"
    journal.append(["c"])
    assert path.read_text() == "a\nb\nc\n"


def test_bytes_stay_as_they_are(tmp_path: Path) -> None:
    """Those of others, too: in another encoding, with ends of lines of Windows, with separators that are no ends."""
    path = tmp_path / "journal"
    before = "a\r\nb\u2028\x0b\n".encode() + b"J\xf6rg\n"
    path.write_bytes(before + b"hal")
    journal = Journal(path)
    assert journal.read() == ["a", "b\u2028\x0b", "J\ufffdrg"]
    journal.append(["c"])
    assert path.read_bytes() == before + b"c\n"


def test_a_last_line_that_is_whole_stays(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    for last, kept in (("3", ["1", "2", "3"]), ("x", ["1", "2"])):
        path.write_text(f"1\n2\n{last}")
        journal = Journal(path, str.isdecimal)
        assert journal.read() == kept
        journal.append(["4"])
        assert Journal(path).read() == [*kept, "4"]


def test_an_error_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="journal"):
        Journal(tmp_path / "none" / "journal").append(["a"])


def test_an_error_at_the_end_names_the_file(tmp_path: Path) -> None:
    class FullDisk(io.StringIO):
        def close(self) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    journal = Journal(tmp_path / "journal")
    journal._file = FullDisk()
    with pytest.raises(OSError, match="journal"):
        journal.close()
    journal.close()


def test_bytes_that_are_no_text_make_a_line(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(b"a\n\xff\n")
    assert Journal(path).read() == ["a", "�"]
