"""Files that are written whole: what a path leads to stays what it is."""

import os
import threading
from pathlib import Path

from skat_env.tools.files import with_ending, write_text


def test_a_link_leads_to_the_file_that_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("before")
    (tmp_path / "link").symlink_to("real")
    write_text(tmp_path / "link", "after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "after"
    assert {path.name for path in tmp_path.iterdir()} == {"link", "real"}


def test_what_is_no_file_is_written_to(tmp_path: Path) -> None:
    pipe, heard = tmp_path / "pipe", []
    os.mkfifo(pipe)
    listener = threading.Thread(target=lambda: heard.append(pipe.read_text()), daemon=True)
    listener.start()
    write_text(pipe, "words")
    listener.join(60)
    assert heard == ["words"]
    assert pipe.is_fifo()


def test_endings_go_behind_names_with_dots() -> None:
    assert with_ending(Path("reports/v0.1"), ".json") == Path("reports/v0.1.json")
