"""Folders of work that resumes: begun, gone on with, finished, refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from skat_env.errors import ParseError
from skat_env.tools.run_folder import SECRET_FILE, locked, run_folder
from skat_env.tools.secret import SECRET

HEAD: dict[str, Any] = {"seed": 3, "config": {"rate": 0.5, "steps": 10}, "made_by": "a test"}


def opened(path: Path, head: dict[str, Any] = HEAD, **options: Any) -> Any:
    options = {"compared": ("seed", "config"), "free": ("steps",), "finished": "done.json", **options}
    return run_folder(path, "work", "head.json", head, **options)


def test_a_folder_is_begun_and_gone_on_with(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    with opened(folder) as first:
        assert (first.is_new, first.is_finished, first.head) == (True, False, HEAD)
        (folder / "result").write_text("half")
        first.head["made_by"] = "another"
        first.write_head()
    with opened(folder) as again:
        assert (again.is_new, again.is_finished) == (False, False)
        assert again.head == {**HEAD, "made_by": "another"}
        (folder / "done.json").write_text(json.dumps({"more": 1, **HEAD}))
        (folder / ".result.partial").write_text("half")
        again.clear()
    assert {path.name for path in folder.iterdir()} == {"result", "done.json"}
    with opened(folder) as finished:
        assert (finished.is_new, finished.is_finished) == (False, True)


def test_free_options_and_uncompared_keys_may_differ(tmp_path: Path) -> None:
    with opened(tmp_path):
        (tmp_path / "result").touch()
    with opened(tmp_path, {"seed": 3, "config": {"rate": 0.5, "steps": 99}, "made_by": "another"}) as folder:
        assert folder.head == HEAD


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ({**HEAD, "seed": 4}, r"holds another work \(seed 3 there, 4 here\): nothing is changed"),
        ({**HEAD, "config": {"rate": 1}}, r"holds another work \(rate 0.5 there, 1 here\)"),
        ({**HEAD, "config": {"rate": 0.5, "size": 1}}, r"\(size None there, 1 here\)"),
        ({**HEAD, "config": {"rate": 0.5, "seed": 3}}, r"\(config.seed None there, 3 here\)"),
    ],
)
def test_other_work_is_refused(head: dict[str, Any], message: str, tmp_path: Path) -> None:
    with opened(tmp_path):
        (tmp_path / "result").touch()
    before = (tmp_path / "head.json").read_bytes()
    with pytest.raises(FileExistsError, match=message), opened(tmp_path, head):
        pass
    assert (tmp_path / "head.json").read_bytes() == before


def test_strange_folders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(FileExistsError, match="is not empty and holds no work"), opened(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("name", ["head.json", "done.json"])
@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"null", b"\xff", b"[" * 100_000, b'{"seed": 3'])
def test_what_is_no_object_is_damaged(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(
        ParseError, match=f"{name} is damaged: expected a JSON object; .* name another folder"
    ):
        opened(tmp_path).__enter__()
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [content]


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ({}, "it does not say which work was begun here"),
        ({"made_by": "a test"}, "it does not say which work was begun here"),
        ({"seed": 3}, "its 'config' is missing or of another kind"),
        ({**HEAD, "config": []}, "its 'config' is missing or of another kind"),
        ({**HEAD, "config": None}, "its 'config' is missing or of another kind"),
        ({**HEAD, "seed": "3"}, "its 'seed' is missing or of another kind"),
        ({**HEAD, "seed": [3]}, "its 'seed' is missing or of another kind"),
        ({**HEAD, "made_by": {}}, "its 'made_by' is missing or of another kind"),
        ({**HEAD, "names": {}}, "its 'names' is missing or of another kind"),
        ({**HEAD, "names": None}, "its 'names' is missing or of another kind"),
        (HEAD, "its 'names' is missing or of another kind"),
    ],
)
def test_heads_of_wrong_types_are_damaged(head: dict[str, Any], message: str, tmp_path: Path) -> None:
    (tmp_path / "head.json").write_text(json.dumps(head))
    with pytest.raises(
        ParseError, match=rf"head\.json is damaged: {message}; nothing is changed; name another"
    ):
        opened(tmp_path, {**HEAD, "names": []}).__enter__()
    assert json.loads((tmp_path / "head.json").read_text()) == head


def test_every_key_counts_where_none_are_chosen(tmp_path: Path) -> None:
    (tmp_path / "head.json").write_text(json.dumps({"seed": 3, "mode": "new"}))
    with (
        pytest.raises(FileExistsError, match="mode new there, None here"),
        run_folder(tmp_path, "work", "head.json", {"seed": 3}),
    ):
        pass


@pytest.mark.parametrize("agents", [["rule"], ["engine(prog)"]])
def test_work_that_left_nothing_frees_the_folder(
    agents: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SECRET, "1" * 32)  # which a secret that is made would set for good
    with_secret = {SECRET_FILE} if agents != ["rule"] else set()

    def stopped(result: bool) -> None:
        with opened(tmp_path, {**HEAD, "agents": agents}):
            assert {path.name for path in tmp_path.iterdir()} == {"head.json"} | with_secret
            if result:
                (tmp_path / "result").touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped(result=False)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(KeyboardInterrupt):
        stopped(result=True)
    assert {path.name for path in tmp_path.iterdir()} == {"head.json", "result"} | with_secret


def test_what_a_kill_leaves_of_a_head_is_no_stranger(tmp_path: Path) -> None:
    (tmp_path / ".head.json.partial").write_text("{")
    with opened(tmp_path) as folder:
        assert folder.is_new


def test_one_process_at_a_time(tmp_path: Path) -> None:
    with (
        opened(tmp_path),
        pytest.raises(BlockingIOError, match="another process is working in"),
        locked(tmp_path),
    ):
        pass
    with locked(tmp_path):
        pass
