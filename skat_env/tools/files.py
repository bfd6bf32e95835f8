"""Files that are there whole or not at all, and folders that one process at a time works in."""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def write_text(path: Path, text: str) -> None:
    """Writes a text file whole or not at all."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, *parts: bytes | memoryview) -> None:
    """Writes a file whole or not at all: under another name first, which it then changes."""
    partial = path.with_name(f".{path.name}.partial")
    with partial.open("wb") as file:
        for part in parts:
            file.write(part)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps other processes out of a folder; the lock goes with the process, however that ends.

    Raises:
        BlockingIOError: if another process is working in it.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BlockingIOError(f"another process is working in {folder}") from None
        yield
    finally:
        os.close(handle)


def differences(there: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """How the config that a folder was begun with is not the wanted one; empty if they are equal."""
    keys = [key for key in {**wanted, **there} if wanted.get(key) != there.get(key)]
    return ", ".join(f"{key} {there.get(key)} there, {wanted.get(key)} here" for key in keys)


def mark_folder(folder: Path, marker: str, config: Mapping[str, Any], content: str) -> None:
    """Makes a folder for one piece of work, or goes on with it.

    Args:
        folder: its path.
        marker: the file that says what the folder is for.
        config: what determines the work, as JSON can hold it.
        content: what the work is, as `match`.

    Raises:
        ValueError: if the folder holds something else.
    """
    wanted = json.loads(json.dumps(config))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / marker
    if path.exists():
        if differing := differences(json.loads(path.read_text()), wanted):
            raise ValueError(
                f"{folder} holds another {content} ({differing}): name another folder with --out"
            )
    elif any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty and holds no {content}: name another folder with --out")
    else:
        write_text(path, json.dumps(wanted, indent=2) + "\n")
