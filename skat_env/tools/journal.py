"""Files that grow line by line while long work goes on, so that a killed process loses no more than its last line."""

from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from skat_env.tools.files import naming, write_text


class Journal:
    """A text file that lines are added to; it stays open from the first one on."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: TextIO | None = None

    def read(self) -> list[str]:
        """The whole lines so far, none if there is no file; bytes that are no text make a line that cannot be parsed.

        A line that a killed process left half-written is left out, and dropped when a line is added.
        """
        return self._whole(self._text()).splitlines()

    def append(self, lines: Iterable[str]) -> None:
        """Adds lines and flushes them; an OSError names the file."""
        with naming(self.path):
            if self._file is None:
                text = self._text()
                if self._whole(text) != text:
                    write_text(self.path, self._whole(text))
                self._file = self.path.open("a")
            self._file.write("".join(f"{line}\n" for line in lines))
            self._file.flush()

    def _text(self) -> str:
        return self.path.read_text(errors="replace") if self.path.exists() else ""

    def _whole(self, text: str) -> str:
        return text[: text.rfind("\n") + 1]

    def close(self) -> None:
        """Closes the file; a later line opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None
