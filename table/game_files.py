"""Files and datasets of games, read game by game, each with its number; and the cost of each seat's cards if known."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Protocol

from skat_env.datasets.dataset import Dataset, is_dataset
from skat_env.datasets.formats import LineFormat, format_of, format_of_sample, read_lines
from skat_env.datasets.line_file import LineFile
from skat_env.errors import IllegalAction, ParseError
from skat_env.records import Reading
from skat_env.tools.parsing import parse_json

MAX_FILE: Final = 256 << 20
"""The largest file of games, in bytes of text; larger ones are imported as a dataset."""
_KEPT: Final = 4

AnyReading = Reading | ParseError


class GameFile(Protocol):
    """The games of a file or a dataset by their numbers, from 0."""

    players: tuple[str, ...]
    """The names of players, if they are known without reading the games."""

    def __len__(self) -> int:
        """The number of games."""

    def read(self, number: int) -> AnyReading:
        """A game, or why it cannot be read."""

    def costs(self, number: int) -> tuple[int, ...] | None:
        """By seat, what the cards of a game cost; None: the file does not say."""


class TextGames:
    """The games of a text of lines.

    Args:
        text: the lines, in any known format; those of `skat-env review --json` have the costs with them.
        name: what messages call the text.

    Raises:
        ParseError: if the text is in no known format.
    """

    players: tuple[str, ...] = ()

    def __init__(self, text: str, name: str) -> None:
        block = text.encode(errors="replace")
        self._format: LineFormat = format_of_sample(block[: 1 << 16], name)
        self._games = [game for _, game in self._format.texts(1, block)]

    def __len__(self) -> int:
        return len(self._games)

    def read(self, number: int) -> AnyReading:
        """A game, or why it cannot be read."""
        text = self._games[number]
        if isinstance(text, ParseError):
            return text
        fields, _ = _reviewed(text)
        return next(read_lines(self._format, 1, (json.dumps(fields) if fields else text).encode()))[1]

    def costs(self, number: int) -> tuple[int, ...] | None:
        """By seat, what the cards of a game cost; None: its line does not say."""
        text = self._games[number]
        return None if isinstance(text, ParseError) else _reviewed(text)[1]


def _reviewed(line: str) -> tuple[dict[str, Any] | None, tuple[int, ...] | None]:
    """The record and the costs in a line of `skat-env review --json`; for any other line, None and None."""
    if not line.startswith("{") or '"review"' not in line:
        return None, None
    try:
        fields = parse_json(line)
        costs = fields.pop("review")["costs"]
    except (ValueError, KeyError, TypeError):
        return None, None
    is_costs = isinstance(costs, list) and all(type(cost) is int for cost in costs)
    return fields, tuple(costs) if is_costs else None


class DatasetGames:
    """The games of a dataset.

    Raises:
        ParseError: if it is damaged or unfinished.
    """

    def __init__(self, path: Path) -> None:
        self._dataset = Dataset(path)
        self.players = self._dataset.players

    def __len__(self) -> int:
        return len(self._dataset)

    def read(self, number: int) -> AnyReading:
        """A game, or why it cannot be read."""
        try:
            return Reading.of(self._dataset[number])
        except (ParseError, IllegalAction, IndexError) as error:
            return ParseError(str(error))

    def costs(self, number: int) -> tuple[int, ...] | None:
        """None: a dataset has no reviews."""
        return None


def open_games(path: Path, name: str) -> GameFile:
    """The games of a file or a dataset; those opened last are kept while they do not change.

    Args:
        path: the file or folder.
        name: what messages call it.

    Raises:
        ParseError: if it holds no games, or too many for a file.
        OSError: if it cannot be read.
    """
    found = path.stat()
    return _open(path, name, found.st_mtime_ns, found.st_size)


@lru_cache(_KEPT)
def _open(path: Path, name: str, changed: int, size: int) -> GameFile:
    if is_dataset(path):
        return DatasetGames(path)
    if path.is_dir():
        raise ParseError(f"{name} is a folder, not a file of games or a dataset")
    format_of(path)
    blocks: list[bytes] = []
    length = 0
    with LineFile(path) as file:
        for _, _, block in file.blocks(1000):
            length += len(block)
            if length > MAX_FILE:
                raise ParseError(
                    f"{name} has more than {MAX_FILE >> 20} megabytes of text: make a dataset of it with "
                    "skat-env data import"
                )
            blocks.append(block)
    return TextGames(b"".join(blocks).decode(errors="replace"), name)
