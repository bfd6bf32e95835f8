"""Files that are there whole or not at all, and folders that one process at a time works in."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
