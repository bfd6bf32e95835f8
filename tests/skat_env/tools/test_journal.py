"""Files that grow line by line."""

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


def test_an_error_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="journal"):
        Journal(tmp_path / "none" / "journal").append(["a"])


def test_bytes_that_are_no_text_make_a_line(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(b"a\n\xff\n")
    assert Journal(path).read() == ["a", "�"]
