"""Datasets: millions of games in a folder, some eighty bytes each, read by memory mapping.

The folder holds the games in files that never change, `00000.shard` … (`shard.py`, `packing.py`), and
`dataset.json`: what it is and what made it. It is written last: a folder without it is an unfinished import.
"""

import json
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import IntEnum
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env._replay import check_games
from skat_env.errors import ParseError
from skat_env.formats import LineFile, format_of, read_lines
from skat_env.packing import COLUMNS, Arrays, Rows, compact
from skat_env.protocols import Game, State
from skat_env.records import GameRecord
from skat_env.registry import get_game
from skat_env.shard import read_arrays, write_arrays, write_text

MANIFEST: Final = "dataset.json"
FORMAT: Final = "skat_env dataset"


class Verdict(IntEnum):
    """What a checked replay says of a game."""

    AGREES = 0
    """The recorded result is the rules'."""
    UNJUDGED = 1
    """All actions are legal; the game was aborted or has no recorded result."""
    BAD_DEAL = 2
    """A place has the wrong number of cards."""
    ILLEGAL = 3
    """An action is not legal."""
    BAD_END = 4
    """The game is over and should not be, or the other way round."""
    DIFFERS = 5
    """The recorded result is not the rules'."""


class Shard:
    """One file of a dataset."""

    def __init__(self, path: Path, game: Game | None = None) -> None:
        self.path = path
        self.header, self.arrays = read_arrays(path)
        try:
            self.game = game or get_game(self.header["game"])
            self.rows = Rows(
                self.game,
                int(self.header["games"]),
                self.arrays,
                self.header["starts"],
                self.header["servers"],
            )
            self.first_line, self.line_count = self.header["lines"]
        except (KeyError, TypeError, ValueError) as error:
            raise ParseError(f"{path} is not a shard of a dataset: {error!r} in its header") from None
        if self.header["game"] != self.game.name:
            raise ParseError(f"{path} holds games of {self.header['game']}, expected {self.game.name}")

    def __len__(self) -> int:
        return self.rows.games

    @cached_property
    def lines(self) -> NDArray[np.int64]:
        """int64 [games]: the line of the source from which each game was read."""
        skipped = [
            *self.header["blank"],
            *(line for kind in ("bad", "hidden") for line, _ in self.header[kind]),
        ]
        return np.setdiff1d(np.arange(self.first_line, self.first_line + self.line_count), skipped)

    def check(self) -> NDArray[np.uint8]:
        """uint8 [games]: the `Verdict` on each game."""
        column, rows = self.rows.column, self.rows
        try:
            return check_games(
                rows.templates,
                list(self.game.place_sizes),
                np.ascontiguousarray(column("start"), np.uint32),
                np.ascontiguousarray(column("low"), np.uint32),
                np.ascontiguousarray(column("high"), np.uint32),
                np.ascontiguousarray(column("length"), np.uint8),
                np.ascontiguousarray(column("status"), np.uint8),
                np.ascontiguousarray(column("claim"), np.int8),
                np.ascontiguousarray(column("result"), np.int16),
                rows.arrays["actions"],
            )
        except (KeyError, ValueError) as error:
            raise ParseError(f"{self.path} is damaged: {error}") from None


def write_shard(path: Path, game: Game, header: dict[str, Any], arrays: Arrays) -> None:
    """Writes a shard whole or not at all.

    `header` has at least starts, servers, lines, blank, bad, hidden and differing.
    """
    games = len(arrays["length"])
    write_arrays(path, {"game": game.name, "games": games, **header}, compact(arrays))


class Dataset(Sequence[GameRecord]):
    """The games of a folder, by number, in the order of their source.

    Raises:
        ParseError: if the folder is no dataset, unfinished or damaged.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.manifest = read_manifest(self.folder)
        self.game = get_game(self.manifest["game"])
        self.players: tuple[str, ...] = tuple(self.manifest["players"])
        counts: list[int] = self.manifest["shards"]
        self._ends = list(accumulate(counts))
        self._shards: list[Shard | None] = [None] * len(counts)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, index: Any) -> Any:
        """The record of a game, or of some as a list."""
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        shard, row = self._place(index)
        return shard.rows.record(row, self.players)

    def __iter__(self) -> Iterator[GameRecord]:
        for shard in self.shards():
            for row in range(len(shard)):
                yield shard.rows.record(row, self.players)

    def __repr__(self) -> str:
        return f"Dataset({str(self.folder)!r})"

    def state(self, index: int) -> State:
        """The last position of a game, every action checked; `state.history()` are its actions."""
        shard, row = self._place(index)
        return shard.rows.state(row)

    def column(self, name: str) -> NDArray[Any]:
        """One of `packing.COLUMNS` over all games; `server` and `start` refer to tables of the shards.

        Raises:
            KeyError: if there is no such column.
        """
        if name not in COLUMNS:
            raise KeyError(f"a dataset has no column '{name}': expected one of {', '.join(COLUMNS)}")
        columns = [shard.rows.column(name) for shard in self.shards()]
        return np.concatenate(columns) if columns else np.empty(0, np.int32)

    def shards(self) -> Iterator[Shard]:
        """The files, in order."""
        return (self._shard(number) for number in range(len(self._shards)))

    def check(self) -> Iterator[tuple[Shard, NDArray[np.uint8]]]:
        """For every shard the `Verdict` on each of its games, replayed at C speed."""
        return ((shard, shard.check()) for shard in self.shards())

    def problems(self, kind: str) -> Iterator[tuple[int, str]]:
        """(line of the source, reason): `bad` and `hidden` lines that are no games, `differing` results."""
        return ((line, reason) for shard in self.shards() for line, reason in shard.header[kind])

    def _place(self, index: int) -> tuple[Shard, int]:
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(f"game {index} of a dataset of {len(self)}")
        at = bisect_right(self._ends, number)
        return self._shard(at), number - (self._ends[at - 1] if at else 0)

    def _shard(self, number: int) -> Shard:
        shard = self._shards[number]
        if shard is None:
            shard = Shard(shard_path(self.folder, number), self.game)
            if len(shard) != self.manifest["shards"][number]:
                raise ParseError(f"{shard.path} has {len(shard)} games, the dataset expects another number")
            self._shards[number] = shard
        return shard


def read_games(path: Path) -> Iterator[GameRecord]:
    """The games of a dataset or of a file of lines, whatever its format.

    Raises:
        ParseError: at the first line that cannot be read: file, line, and what was expected.
    """
    if is_dataset(path):
        yield from Dataset(path)
        return
    line_format = format_of(path)
    with LineFile(path) as file:
        for first, _, lines in file.blocks(1000):
            for number, reading in read_lines(line_format, first, lines):
                if isinstance(reading, ParseError):
                    raise ParseError(f"{path}:{number}: {reading}")
                yield reading.record


def shard_path(folder: Path, number: int) -> Path:
    """The file of a shard."""
    return folder / f"{number:05}.shard"


def is_dataset(path: Path) -> bool:
    """Whether a path is a folder with a dataset, or with one whose import is not finished."""
    return path.is_dir() and ((path / MANIFEST).exists() or shard_path(path, 0).exists())


def read_manifest(folder: Path) -> dict[str, Any]:
    """What `dataset.json` says.

    Raises:
        ParseError: if there is none, or it is not ours.
    """
    path = folder / MANIFEST
    if not path.exists():
        if is_dataset(folder):
            raise ParseError(f"{folder} is an unfinished import: the command that began it finishes it")
        raise ParseError(f"{folder} is not a dataset: it has no {MANIFEST}")
    try:
        manifest: dict[str, Any] = json.loads(path.read_text())
        if manifest["format"] != FORMAT or not {"game", "players", "shards"} <= manifest.keys():
            raise ValueError
    except (ValueError, KeyError, TypeError):
        raise ParseError(f"{path} does not describe a dataset of skat_env") from None
    return manifest


def write_manifest(
    folder: Path, game: Game, games: Sequence[int], players: Sequence[str], **more: Any
) -> None:
    """Finishes a dataset; `games` are the numbers of games of its shards."""
    manifest = {"format": FORMAT, "game": game.name, "shards": games, **more, "players": players}
    write_text(folder / MANIFEST, json.dumps(manifest, indent=1) + "\n")
