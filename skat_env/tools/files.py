"""Files that are there whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def with_ending(path: Path, ending: str) -> Path:
    """A path with an ending put behind its name, in which dots may be: `v0.1` and `.json` make `v0.1.json`."""
    return path.with_name(path.name + ending)


def write_text(path: Path, text: str) -> None:
    """Writes a text file whole or not at all."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, *parts: bytes | memoryview) -> None:
    """Writes a file whole or not at all: under another name first, which it then changes.

    A link stays one: the file that it leads to is written. What is no file, as a pipe, is written to as it is.
    """
    if path.exists() and not path.is_file():
        with naming(path), path.open("wb") as device:
            device.writelines(parts)
        return
    if path.is_symlink():
        path = path.resolve()
    partial = path.with_name(f".{path.name}.partial")
    with naming(path):
        try:
            with partial.open("wb") as file:
                for part in parts:
                    file.write(part)
                file.flush()
                os.fsync(file.fileno())
            partial.replace(path)
        except OSError:
            partial.unlink(missing_ok=True)
            raise


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Adds the name of a file to errors of the system that name none, as a full disk does."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None
