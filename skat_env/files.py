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
        found = json.loads(path.read_text())
        differing = [key for key in {**wanted, **found} if wanted.get(key) != found.get(key)]
        if differing:
            told = ", ".join(f"{key} {found.get(key)} there, {wanted.get(key)} here" for key in differing)
            raise ValueError(f"{folder} holds another {content} ({told}): name another folder with --out")
    elif any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty and holds no {content}: name another folder with --out")
    else:
        write_text(path, json.dumps(wanted, indent=2) + "\n")
