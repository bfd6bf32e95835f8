"""Files with a game a line: their formats, how a format is recognised, and reading their games.

Lines that begin with `#` are comments; in tables, whose first column may hold a `#`, those that begin with `# `.
In some formats games may go over several lines, or stand several on one.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from skat_env.datasets.line_file import MAX_GAME_LINES, LineFile
from skat_env.errors import ParseError
from skat_env.records import GameRecord, Reading
from skat_env.registry import game_names, get_part, has_part

BLANKS: Final = "\ufeff \t\r"
"""Characters that are stripped from both ends of a line."""
_TABLE_COMMENT: Final = re.compile(r"#(?:[\s#]|$)|sep=.$")


@dataclass(frozen=True, slots=True)
class LineFormat:
    """A format of files with a game a line."""

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
    games_in: Callable[[str], tuple[list[str], str] | None] | None = None
    """For a format whose games may go over several lines: text -> the texts of its games, and that of a game that it
    ends within ('' if none); None if it is malformed. None: every game has a line of its own."""

    def at(self, line: str) -> "LineFormat | None":
        """This format if a file with this first line has it, else None; for a table, with the columns of its header."""
        if self.reader is None:
            return self if re.match(self.prefix + re.escape(self.begins), line) else None
        read = self.reader(line)
        return None if read is None else replace(self, read=read, header=line)

    def passes_over(self, line: str) -> bool:
        """Whether a line holds no game and is to hold none: a comment, or the header of a table."""
        if self.reader is None:
            return line.startswith("#")
        return line == self.header or is_table_comment(line)

    def unclosed(self, lines: Sequence[bytes]) -> bool:
        """Whether lines, possibly none, end within a game."""
        if self.games_in is None:
            return False
        begins = self.begins.encode()
        for at in range(len(lines) - 1, max(len(lines) - MAX_GAME_LINES, 0) - 1, -1):
            place = lines[at].rfind(begins)
            if place >= 0 and not self.passes_over(lines[at].decode(errors="replace").strip(BLANKS)):
                rest = b"".join((lines[at][place:], *lines[at + 1 :]))
                return any(is_open for *_, is_open in self._split(1, rest))
        return False

    def texts(self, first: int, block: bytes) -> Iterator[tuple[int, str | ParseError]]:
        """(number of the line on which it begins, text or why it cannot be decoded) of the games of a block of lines.

        Lines that hold no game, though they should, are among them.
        """
        return ((number, text) for number, text, _ in self._split(first, block))

    def _split(self, first: int, block: bytes) -> Iterator[tuple[int, str | ParseError, bool]]:
        """As `texts`, each with whether it is a game within which the block ends."""
        text, begun, length = "", 0, 0
        for number, line in text_lines(first, block):
            if isinstance(line, str) and self.passes_over(line):
                continue
            if text and (
                isinstance(line, ParseError) or length == MAX_GAME_LINES or self._begins_anew(text, line)
            ):
                yield begun, text, False
                text = ""
            if self.games_in is None or isinstance(line, ParseError):
                yield number, line, False
                continue
            if not text:
                text, begun, length = line, number, 1
            else:
                text, length = _joined(text, line), length + 1
            found = self.games_in(text)
            if found is None:
                yield begun, text, False
                text = ""
                continue
            games, text = found
            for game in games:
                yield begun, game, False
                begun, length = number, 1
        if text:
            yield begun, text, True

    def _begins_anew(self, text: str, line: str) -> bool:
        """Whether the line after an unclosed game begins another before it closes the first.

        A game that is cut off must not take the next one with it.
        """
        if self.games_in is None or self.begins not in line:
            return False
        found = self.games_in(_joined(text, line[: line.index(self.begins)]))
        return found is None or found[1] != ""


def _joined(text: str, line: str) -> str:
    """A text that goes on with the next line; a backslash at its end takes the break out of a value."""
    is_broken_word = (len(text) - len(text.rstrip("\\"))) % 2 == 1
    return text[:-1] + line if is_broken_word else f"{text} {line}"


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
            # A comment of a table may be its header in another format, and a comment may quote a game.
            found = None if known.passes_over(text) else known.at(text)
            if found is not None:
                return found
    begins = f"it begins with {sample[:20]!r}" if sample.strip() else "it is empty"
    expected = " or ".join(f"'{known.begins}' ({known.name})" for known in formats)
    raise ParseError(f"{name} is not a file of games: {begins}, expected {expected}")


def is_table_comment(line: str) -> bool:
    """Whether a line of a table is no row: a comment, or the separator, which a spreadsheet writes first."""
    return _TABLE_COMMENT.match(line) is not None


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
    """(line number, reading or why it cannot be read) of the games of a block of lines; see `LineFormat.texts`."""
    for number, line in line_format.texts(first, block):
        if isinstance(line, ParseError):
            yield number, line
        else:
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
