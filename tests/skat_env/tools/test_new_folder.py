"""Folders that are made whole or not at all."""

from pathlib import Path

import pytest

from skat_env.tools.new_folder import new_folder


def test_a_folder_gets_its_name_when_it_is_done(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b"
    with new_folder(path) as made:
        (made / "x").write_text("done")
        assert not path.exists()
        with pytest.raises(BlockingIOError, match="another process"), new_folder(path):
            pass
        assert (made / "x").exists()
    assert [each.name for each in path.parent.iterdir()] == ["b"]
    assert (path / "x").read_text() == "done"


def test_after_an_error_nothing_is_left(tmp_path: Path) -> None:
    def failing() -> None:
        with new_folder(tmp_path / "b") as made:
            (made / "x").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        failing()
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_process_left_is_deleted(tmp_path: Path) -> None:
    (tmp_path / ".b.partial").mkdir()
    (tmp_path / ".b.partial" / "x").write_text("half")
    with new_folder(tmp_path / "b") as made:
        assert list(made.iterdir()) == []
    assert [each.name for each in tmp_path.iterdir()] == ["b"]


def test_what_is_there_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").write_text("precious")
    for path in (tmp_path, tmp_path / "x", Path("/")):
        with (
            pytest.raises(FileExistsError, match="is not an empty folder: nothing is changed"),
            new_folder(path),
        ):
            pass
    assert [each.name for each in tmp_path.iterdir()] == ["x"]
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    with new_folder(Path()) as made:
        (made / "y").touch()
    assert [each.name for each in (tmp_path / "empty").iterdir()] == ["y"]
