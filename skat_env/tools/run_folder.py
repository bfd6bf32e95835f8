"""Folders of work that resumes: matches, datasets, measurements, training runs.

A file at the head of a folder says what it was begun for. The same work goes on there; any other is refused and nothing
is changed. One process at a time works in a folder.
"""

import fcntl
import json
import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skat_env.tools.files import write_text


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

    If an error ends work that has left nothing yet, the head is deleted: the folder is free again.

    Args:
        path: the folder.
        content: what the work is, for messages, as `match`.
        head_file: the name of the file that says what the folder was begun for.
        head: what it says, as JSON can hold it.
        compared: the keys of the head that make it the same work; None: all.
        free: options that may differ all the same, in a compared value that is a table of options.
        finished: the name of a file that has the compared keys too and takes the head's place when the work is done.

    Raises:
        FileExistsError: if the folder holds something else.
        BlockingIOError: if another process is working in it.
    """
    wanted = json.loads(json.dumps(head))
    path.mkdir(parents=True, exist_ok=True)
    with locked(path):
        is_finished = finished is not None and (path / finished).exists()
        found = _read(path / (finished if finished is not None and is_finished else head_file))
        is_new = all(each.name == f".{head_file}.partial" for each in path.iterdir())
        if not is_new:
            _require_same(path, content, found, wanted, compared, free)
        folder = RunFolder(path, head_file, found or wanted, is_new, is_finished)
        if is_new:
            folder.write_head()
        try:
            yield folder
        except BaseException:
            if is_new and [each.name for each in path.iterdir()] == [head_file]:
                (path / head_file).unlink()
            raise


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


def _read(path: Path) -> dict[str, Any] | None:
    """What a file says; None if it is not there or no JSON object."""
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _require_same(
    path: Path,
    content: str,
    found: dict[str, Any] | None,
    wanted: dict[str, Any],
    compared: Collection[str] | None,
    free: Collection[str],
) -> None:
    """Raises a FileExistsError if a folder, at whose head something or nothing was found, holds other work."""
    advice = "nothing is changed; name another folder"
    keys = wanted if compared is None else compared
    if found is None or not any(key in found for key in keys):
        raise FileExistsError(f"{path} is not empty and holds no {content}: {advice}")
    there = _options(found if compared is None else {key: found.get(key) for key in keys})
    here = _options({key: wanted[key] for key in keys})
    differing = ", ".join(
        f"{name} {there.get(name)} there, {here.get(name)} here"
        for name in {**here, **there}
        if name not in free and there.get(name) != here.get(name)
    )
    if differing:
        raise FileExistsError(f"{path} holds another {content} ({differing}): {advice}")


def _options(head: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a head by name, those of its tables too."""
    options: dict[str, Any] = {}
    for name, value in head.items():
        options |= value if isinstance(value, dict) else {name: value}
    return options
