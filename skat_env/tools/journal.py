"""Files that grow line by line while long work goes on, so that a killed process loses no more than its last line."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TextIO

from skat_env.tools.files import naming


class Journal:
    """A text file that lines are added to; it stays open from the first one on.

    Args:
        path: the file.
        is_whole: whether a last line without an end is whole, for files that others may have written; None: it never
            is, as a killed process left it half-written.
    """

    def __init__(self, path: Path, is_whole: Callable[[str], bool] | None = None) -> None:
        self.path = path
        self._is_whole = is_whole
        self._file: TextIO | None = None

    def read(self) -> list[str]:
        """The whole lines so far, none if there is no file; bytes that are no text make a line that cannot be parsed.

        A line that a killed process left half-written is left out, and dropped when a line is added.
        """
        lines, tail = self._parts()
        found = lines.decode(errors="replace").replace("\r\n", "\n").split("\n")[:-1]
        return [*found, tail] if self._keeps(tail) else found

    def append(self, lines: Iterable[str]) -> None:
        """Adds lines and flushes them; an OSError names the file."""
        with naming(self.path):
            if self._file is None:
                whole, tail = self._parts()
                keeps = self._keeps(tail)
                if tail and not keeps:
                    os.truncate(self.path, len(whole))
                self._file = self.path.open("a", encoding="utf-8")
                self._file.write("\n" if keeps else "")
            self._file.write("".join(f"{line}\n" for line in lines))
            self._file.flush()

    def _parts(self) -> tuple[bytes, str]:
        """The lines that have an end, and what is behind them."""
        data = self.path.read_bytes() if self.path.exists() else b""
        end = data.rfind(b"\n") + 1
        return data[:end], data[end:].decode(errors="replace")

    def _keeps(self, tail: str) -> bool:
        return bool(tail) and self._is_whole is not None and self._is_whole(tail)

    def close(self) -> None:
        """Closes the file; a later line opens it again. An OSError names the file."""
        file, self._file = self._file, None
        if file is not None:
            with naming(self.path):
                file.close()
