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
from skat_env.files import write_text
from skat_env.packing import COLUMNS, Arrays, Packer, Rows, compact
from skat_env.protocols import Game, State
from skat_env.records import GameRecord
from skat_env.registry import get_game
from skat_env.shard import read_arrays, write_arrays

MANIFEST: Final = "dataset.json"
JOURNAL: Final = "import.json"
"""In a folder whose import is not finished."""
FORMAT: Final = "skat_env dataset"
GAMES_PER_SHARD: Final = 50_000
"""Some four megabytes; ten million games are 200 files."""
PROBLEMS: Final = ("bad", "hidden", "differing")
"""Kinds of lines of a source: unreadable, hiding the deal, with a result that is not the rules'."""


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
    """Writes a shard whole or not at all; `header` has starts, servers, lines, blank and all `PROBLEMS`."""
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

    def __reduce__(self) -> Any:
        # A worker opens the files itself; what is mapped of them does not travel.
        return Dataset, (self.folder,)

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

    def check(self) -> NDArray[np.uint8]:
        """uint8 [games]: the `Verdict` on each game, replayed through the rules at C speed."""
        return np.concatenate([np.empty(0, np.uint8), *(shard.check() for shard in self.shards())])

    def problems(self, kind: str) -> Iterator[tuple[int, str]]:
        """(line of the source, reason) of one kind of `PROBLEMS`."""
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


class DatasetWriter:
    """Writes a dataset game by game; a context manager. It is finished when that is left without an error.

    Raises:
        FileExistsError: if the folder is not empty.
    """

    def __init__(self, folder: str | Path, game: str, games_per_shard: int = GAMES_PER_SHARD) -> None:
        self.folder = Path(folder)
        self.game = get_game(game)
        self.games_per_shard = games_per_shard
        self._players: dict[str, int] = {}
        self._counts: list[int] = []
        self._packer = Packer(self.game, self._players)
        self.folder.mkdir(parents=True, exist_ok=True)
        if any(self.folder.iterdir()):
            raise FileExistsError(f"{folder} is not empty: nothing is changed")

    def __enter__(self) -> "DatasetWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._write()
            write_manifest(self.folder, self.game, self._counts, list(self._players))

    def add(self, record: GameRecord) -> None:
        """Adds a game.

        Raises:
            ParseError: if it is of another game.
        """
        self._packer.add(record)
        if self._packer.games == self.games_per_shard:
            self._write()

    def _write(self) -> None:
        packer = self._packer
        if packer.games:
            header = {
                "starts": list(packer.starts),
                "servers": list(packer.servers),
                "lines": [1 + sum(self._counts), packer.games],
                **{kind: [] for kind in ("blank", *PROBLEMS)},
            }
            write_shard(shard_path(self.folder, len(self._counts)), self.game, header, packer.arrays())
            self._counts.append(packer.games)
            self._packer = Packer(self.game, self._players)


def shard_path(folder: Path, number: int) -> Path:
    """The file of a shard."""
    return folder / f"{number:05}.shard"


def is_dataset(path: Path) -> bool:
    """Whether a path is a folder with a dataset, or with one whose import is not finished."""
    return any((path / name).exists() for name in (MANIFEST, JOURNAL, shard_path(path, 0).name))


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
