"""Folders of work that resumes: matches, datasets, measurements, training runs.

A file at the head of a folder says what it was begun for. The same work goes on there; any other is refused and nothing
is changed. Finished work is left as it is, and commands show its result again. One process at a time works in a folder.
"""

import fcntl
import json
import os
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from skat_env.errors import ParseError
from skat_env.tools.files import write_text
from skat_env.tools.json_file import read_object
from skat_env.tools.secret import SECRET, secret
from skat_env.tools.worker_pool import end_if_imported_by_worker

SECRET_FILE: Final = "secret"
"""What the luck of engines depends on; who knows it and the seed knows every deal."""
ADVICE: Final = "nothing is changed; name another folder"
"""What to do about a folder that cannot be worked in."""


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A folder that is open for one piece of work."""

    path: Path
    head_file: str
    head: dict[str, Any]
    """What the head file says, or the file of the finished work."""
    is_new: bool
    """Whether the work begins here, and does not go on."""
    is_finished: bool
    """Whether the file of the finished work is there."""

    def write_head(self) -> None:
        """Writes the head as it is."""
        write_text(self.path / self.head_file, json.dumps(self.head, indent=2) + "\n")

    def clear(self) -> None:
        """Deletes what finished work does not need: the head, and files that were left half-written."""
        for leftover in (self.path / self.head_file, *self.path.glob(".*.partial")):
            leftover.unlink(missing_ok=True)


@contextmanager
def run_folder(
    path: Path,
    content: str,
    head_file: str,
    head: Mapping[str, Any],
    compared: Collection[str] | None = None,
    free: Collection[str] = (),
    finished: str | None = None,
) -> Iterator[RunFolder]:
    """Makes a folder for one piece of work, or opens one to go on with it.

    If an error ends work that has left nothing yet, the head and the secret are deleted: the folder is free again.

    Args:
        path: the folder.
        content: what the work is, for messages, as `match`.
        head_file: the name of the file that says what the folder was begun for.
        head: what it says, as JSON can hold it.
        compared: the keys of the head that make it the same work; None: all.
        free: options that may differ all the same, in a compared value that is a table of options.
        finished: the name of a file that has the compared keys too and takes the head's place when the work is done.

    Raises:
        ParseError: if the head, or the file of the finished work, is damaged; nothing is changed.
        FileExistsError: if the folder holds something else.
        BlockingIOError: if another process is working in it.
    """
    end_if_imported_by_worker()
    wanted = json.loads(json.dumps(head))
    path.mkdir(parents=True, exist_ok=True)
    with locked(path):
        is_finished = finished is not None and (path / finished).exists()
        found = None
        if finished is not None and is_finished:
            found = read_object(path / finished, ADVICE)
        elif (path / head_file).exists():
            found = _read_head(path / head_file, content, wanted, compared)
        is_new = all(each.name == f".{head_file}.partial" for each in path.iterdir())
        if not is_new:
            _require_same(path, content, found, wanted, compared, free)
        folder = RunFolder(path, head_file, found or wanted, is_new, is_finished)
        if is_new:
            folder.write_head()
        _keep_secret(path, folder.head)
        try:
            yield folder
        except BaseException:
            ours = {head_file, SECRET_FILE}
            if is_new and {each.name for each in path.iterdir()} <= ours:
                for name in ours:
                    (path / name).unlink(missing_ok=True)
            raise


def say_finished(content: str, path: Path) -> None:
    """Says that the work was finished before, so that nothing is done again; commands then show its result."""
    print(f"this {content} was finished before; its result is in {path}", file=sys.stderr)


def _keep_secret(path: Path, head: Mapping[str, Any]) -> None:
    """Takes the secret of work in which engines play from its folder, or writes it there.

    Engines run as the same user and could read it: it keeps the deal from those that only compute.
    """
    if "engine(" not in json.dumps(head):
        return
    kept = path / SECRET_FILE
    if kept.exists():
        os.environ[SECRET] = kept.read_text().strip()
    else:
        write_text(kept, secret() + "\n")
        kept.chmod(0o600)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keeps other processes out of a folder; the lock goes with the process, however that ends.

    Raises:
        BlockingIOError: if another process is working in it.
    """
    handle = os.open(path, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BlockingIOError(f"another process is working in {path}") from None
        yield
    finally:
        os.close(handle)


def _read_head(
    path: Path, content: str, wanted: dict[str, Any], compared: Collection[str] | None
) -> dict[str, Any]:
    """What a head says; raises a ParseError if that cannot be what was written there for some work of this kind."""
    found = read_object(path, ADVICE)
    if not any(key in found for key in (wanted if compared is None else compared)):
        raise ParseError(f"{path} is damaged: it does not say which {content} was begun here; {ADVICE}")
    for key, value in wanted.items():
        if not _is_alike(found.get(key), value, compared is None or key in compared):
            raise ParseError(f"{path} is damaged: its '{key}' is missing or of another kind; {ADVICE}")
    return found


def _is_alike(found: Any, wanted: Any, is_compared: bool) -> bool:
    """Whether a value of a head could stand where another does.

    Single values may be missing. So may lists that are compared, where null is a choice of its own.
    """
    if isinstance(wanted, dict) or isinstance(found, dict):
        return type(found) is type(wanted)
    if found is None or wanted is None:
        return is_compared or not isinstance(wanted, list)
    if isinstance(wanted, list) or isinstance(found, list):
        return type(found) is type(wanted)
    return isinstance(found, str) == isinstance(wanted, str)


def _require_same(
    path: Path,
    content: str,
    found: dict[str, Any] | None,
    wanted: dict[str, Any],
    compared: Collection[str] | None,
    free: Collection[str],
) -> None:
    """Raises a FileExistsError if a folder, at whose head something or nothing was found, holds other work."""
    keys = wanted if compared is None else compared
    if found is None or not any(key in found for key in keys):
        raise FileExistsError(f"{path} is not empty and holds no {content}: {ADVICE}")
    there = _options(found if compared is None else {key: found.get(key) for key in keys})
    here = _options({key: wanted[key] for key in keys})
    differing = ", ".join(
        f"{name} {there.get(name)} there, {here.get(name)} here"
        for name in {**here, **there}
        if name not in free and there.get(name) != here.get(name)
    )
    if differing:
        raise FileExistsError(f"{path} holds another {content} ({differing}): {ADVICE}")


def _options(head: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a head by name, those of its tables too; `table.name` where the head has a value of this name."""
    options: dict[str, Any] = {}
    for name, value in head.items():
        if isinstance(value, dict):
            options |= {f"{name}.{key}" if key in head else key: each for key, each in value.items()}
        else:
            options[name] = value
    return options
