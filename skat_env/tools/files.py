"""Files that are there whole or not at all."""

import os
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
