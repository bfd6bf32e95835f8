"""Files with one game per line: their formats, how a format is recognised, and reading them, compressed or not."""

import bz2
import gzip
import io
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final

from skat_env.errors import ParseError
from skat_env.records import GameRecord, Reading
from skat_env.registry import game_names, get_part, has_part

_SAMPLE_BYTES: Final = 1 << 16
"""The bytes at the start of a file that are searched for a line of a known format; a game has about 1,000 bytes."""
BLANKS: Final = "\ufeff \t\r"
"""Characters that are stripped from both ends of a line."""


@dataclass(frozen=True, slots=True)
class LineFormat:
    """A format of files with one game per line."""

    name: str
    games: tuple[str, ...]
    """The games that it can hold; empty: all games."""
    begins: str
    """The text that its lines begin with; for a table, the part of its header that messages show."""
    read: Callable[[str], Reading]
    """Reads a line; raises ParseError if it is malformed."""
    write: Callable[[GameRecord], str] | None = None
    """Writes a record as a line; None: the format is read-only."""
    reader: Callable[[str], Callable[[str], Reading] | None] | None = None
    """For a table: header -> a function that reads the rows under it, or None if the line is not a header."""
    header: str = ""
    """The header of the table being read, a line without a game."""
    prefix: str = ""
    """What may stand before `begins`, as a regular expression."""

    def at(self, line: str) -> "LineFormat | None":
        """This format if a file with this first line has it, else None; for a table, with the columns of its header."""
        if self.reader is None:
            return self if re.match(self.prefix + re.escape(self.begins), line) else None
        read = self.reader(line)
        return None if read is None else replace(self, read=read, header=line)


def _read_record(line: str) -> Reading:
    return Reading.of(GameRecord.parse(line))


RECORDS: Final = LineFormat("records", (), "{", _read_record, GameRecord.text)
"""The project's own format, for every game."""


def line_formats() -> dict[str, LineFormat]:
    """All formats by name, those of the games first: playouts begin as records do, but with a longer prefix."""
    formats = [
        known for game in game_names() if has_part(game, "formats") for known in get_part(game, "formats")
    ]
    return {known.name: known for known in (*formats, RECORDS)}


def record_facts(game: str, record: GameRecord | None) -> dict[str, Any]:
    """The facts of a recorded game, by the field names of its result; None for facts that an aborted game lacks.

    Without a record, every fact is None. A game without the part `facts` has no facts.
    """
    facts: dict[str, Any] = get_part(game, "facts")(record) if has_part(game, "facts") else {}
    return facts


class LineFile:
    """A context manager for a file of lines; its content shows whether it is plain, .gz or .bz2.

    Raises:
        ParseError: from `blocks`, if a compressed file is truncated or damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes = path.stat().st_size
        self._raw = path.open("rb")
        begins = self._raw.read(3)
        self._raw.seek(0)
        self._lines: IO[bytes] = self._raw
        if begins[:2] == b"\x1f\x8b":
            self._lines = io.BufferedReader(gzip.GzipFile(fileobj=self._raw), 1 << 20)
        elif begins == b"BZh":
            self._lines = io.BufferedReader(bz2.BZ2File(self._raw), 1 << 20)

    def __enter__(self) -> "LineFile":
        return self

    def __exit__(self, *error: object) -> None:
        self._lines.close()
        self._raw.close()

    @property
    def position(self) -> int:
        """The number of bytes read so far, before decompression."""
        return self._raw.tell()

    def blocks(self, lines: int) -> Iterator[tuple[int, int, bytes]]:
        """(number of the first line, number of lines, their bytes) of blocks of `lines` lines."""
        first = 1
        while True:
            try:
                block = list(islice(self._lines, lines))
            except (EOFError, OSError, zlib.error) as error:
                raise ParseError(f"{self.path} cannot be read beyond line {first}: {error}") from None
            if not block:
                return
            yield first, len(block), b"".join(block)
            first += len(block)

    def sample(self) -> bytes:
        """The first bytes. It advances the file, so open the file anew to read the lines."""
        try:
            return self._lines.read(_SAMPLE_BYTES)
        except (EOFError, OSError, zlib.error) as error:
            raise ParseError(f"{self.path} cannot be read: {error}") from None


def format_of(path: Path) -> LineFormat:
    """The format of a file, recognised by its first line that fits a known one.

    Raises:
        ParseError: if no format fits, or the file is empty.
    """
    with LineFile(path) as file:
        return format_of_sample(file.sample(), str(path))


def format_of_sample(sample: bytes, name: str) -> LineFormat:
    """The format of a file by its first bytes; `name` is what messages call it.

    Raises:
        ParseError: if no format fits, or there are no bytes.
    """
    formats = line_formats().values()
    for line in sample.split(b"\n"):
        text = line.decode(errors="replace").strip(BLANKS)
        for known in formats:
            found = known.at(text)
            if found is not None:
                return found
    begins = f"it begins with {sample[:20]!r}" if sample.strip() else "it is empty"
    expected = " or ".join(f"'{known.begins}' ({known.name})" for known in formats)
    raise ParseError(f"{name} is not a file of games: {begins}, expected {expected}")


def text_lines(first: int, block: bytes) -> Iterator[tuple[int, str | ParseError]]:
    """(line number, stripped text or why it cannot be decoded) of the lines that are not blank."""
    for number, raw in enumerate(block.split(b"\n"), first):
        try:
            line = raw.decode().strip(BLANKS)
        except UnicodeDecodeError:
            yield number, ParseError("expected UTF-8")
            continue
        if line:
            yield number, line


def read_lines(
    line_format: LineFormat, first: int, block: bytes
) -> Iterator[tuple[int, Reading | ParseError]]:
    """(line number, reading or why it cannot be read) of the lines that are not blank."""
    for number, line in text_lines(first, block):
        if isinstance(line, ParseError):
            yield number, line
        elif line != line_format.header:
            try:
                reading: Reading | ParseError = line_format.read(line)
            except ParseError as error:
                reading = error
            except (ValueError, ArithmeticError) as error:
                # One line must not end the reading of a file, whatever is wrong with it.
                reading = unreadable(error)
            yield number, reading


def unreadable(error: Exception) -> ParseError:
    """The error of a line that a parser did not foresee."""
    reason = "a number in it is too large" if isinstance(error, OverflowError) else str(error)
    return ParseError(f"the line cannot be read: {reason}")
