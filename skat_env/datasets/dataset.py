"""Datasets: millions of games in a folder, about sixty bytes each, read by memory mapping.

The games and their search results are in files that never change, `00000.shard` … (see `array_file.py`, `packing.py`,
`searches.py`). `dataset.json` describes the dataset and its origin, with a checksum (`sealed.py`). It is written last:
a folder without it is unfinished.
"""

import json
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import IntEnum
from functools import cached_property
from itertools import accumulate, count
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.datasets._replay import check_games
from skat_env.datasets.array_file import header_text, read_arrays, write_arrays
from skat_env.datasets.packing import COLUMNS, Arrays, Packer, Rows, compact
from skat_env.datasets.sealed import WrongChecksum, sealed, unsealed
from skat_env.datasets.searches import Searches
from skat_env.errors import IllegalAction, ParseError, UnknownName
from skat_env.options import Count, check_array, check_option, shown
from skat_env.protocols import Game, State
from skat_env.records import GameRecord
from skat_env.registry import get_game
from skat_env.tools.files import write_bytes

MANIFEST: Final = "dataset.json"
JOURNAL: Final = "import.json"
"""A file in folders whose import is unfinished."""
GENERATION: Final = "generation.json"
"""A file in folders whose generation is unfinished."""
FORMAT: Final = "skat_env dataset"
GAMES_PER_SHARD: Final = 50_000
"""About four megabytes; ten million games make 200 files."""
PROBLEMS: Final = ("bad", "hidden", "differing")
"""The problems of lines in a source: unreadable, with a hidden deal, with a result that differs from the rules'."""


class Verdict(IntEnum):
    """The outcome of a checked replay of a game."""

    AGREES = 0
    """The recorded result is the same as the rules'."""
    UNJUDGED = 1
    """All actions are legal; the game was aborted or has no recorded result."""
    BAD_DEAL = 2
    """A place has the wrong number of cards."""
    ILLEGAL = 3
    """An action is not legal."""
    BAD_END = 4
    """The game is over but its status says otherwise, or the reverse."""
    DIFFERS = 5
    """The recorded result differs from the rules'."""


class Shard:
    """One file of a dataset."""

    def __init__(self, path: Path, game: Game | None = None) -> None:
        self.path = path
        self.header, self.arrays = read_arrays(path)
        try:
            self.game = game or get_game(self.header["game"])
            self.rows = Rows(
                self.game,
                self.header["games"],
                self.arrays,
                self.header["starts"],
                self.header["servers"],
                self.header.get("endings", ()),
            )
            self.first_line, self.line_count = self.header["lines"]
            if self.header["game"] != self.game.name:
                raise ParseError(f"{path} holds games of {self.header['game']}, expected {self.game.name}")
            self.rows.require_sound()
            self._require_lines()
        except ParseError:
            raise
        except ValueError as error:
            raise ParseError(f"{path} is damaged: {error}") from None
        except (AttributeError, KeyError, TypeError) as error:
            raise ParseError(f"{path} is not a shard of a dataset: {error!r} in its header") from None

    def __len__(self) -> int:
        return self.rows.games

    def _require_lines(self) -> None:
        """Raises a ValueError if the lines of the source do not fit the games."""
        for kind in PROBLEMS:
            for line, reason in self.header[kind]:
                if type(line) is not int or not isinstance(reason, str):
                    raise ValueError(f"a line with a problem is {line!r}: {reason!r}")
        skipped = self._skipped()
        last = self.first_line + self.line_count
        if not all(type(line) is int and self.first_line <= line < last for line in (*skipped, *self._extra)):
            raise ValueError("a line without a game is not one of the shard's")
        without = Counter(skipped) - Counter(self._extra)
        if max(without.values(), default=0) > 1 or len(self) + len(skipped) != self.line_count + len(
            self._extra
        ):
            raise ValueError(
                f"{len(self)} games and {len(skipped)} lines without, of {self.line_count} lines"
            )

    @property
    def _extra(self) -> list[int]:
        """A line of the source for every game on it but the first."""
        extra: list[int] = self.header.get("extra", [])
        return extra

    def _skipped(self) -> list[int]:
        """The lines of the source without a game in this file."""
        return [
            *self.header["blank"],
            *(line for kind in ("bad", "hidden") for line, _ in self.header[kind]),
        ]

    @cached_property
    def lines(self) -> NDArray[np.int64]:
        """int64 [games]: the line of the source that each game was read from."""
        games = Counter(range(self.first_line, self.first_line + self.line_count))
        games.update(self._extra)
        games.subtract(self._skipped())
        return np.array(sorted(games.elements()), np.int64)

    def check(self) -> NDArray[np.uint8]:
        """The `Verdict` on each game, uint8 [games]."""
        column, rows = self.rows.column, self.rows
        with self._naming_file():
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

    def record(self, row: int, players: Sequence[str]) -> GameRecord:
        """The record of a game; `players` are the dataset's."""
        with self._naming_file():
            return self.rows.record(row, players)

    def searches(self, row: int) -> Searches | None:
        """The search results of a game; None if the file has none."""
        with self._naming_file():
            return self.rows.searches(row)

    def targets(
        self, rows: NDArray[np.integer], steps: NDArray[np.integer], legal: NDArray[np.uint64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """As `Dataset.targets`, for the games of this file."""
        lengths = self.rows.column("length")[rows].astype(np.int64)
        if np.any((steps < 0) | (steps >= lengths)):
            raise IndexError("a step is not one of its game")
        with self._naming_file():
            if (table := self.rows.search_table) is None:
                return np.zeros((len(rows), 64), np.float32), np.full(len(rows), np.nan, np.float32)
            return table.targets(self.rows.ends[rows] - lengths + steps, legal)

    def copy(self, rows: NDArray[np.integer], packer: Packer, players: Sequence[str]) -> None:
        """Adds games to a packer, unchanged; `players` are those of the dataset."""
        with self._naming_file():
            packer.copy(self.rows, rows.tolist(), players)

    @contextmanager
    def _naming_file(self) -> Iterator[None]:
        """Adds the name of the file to errors about its arrays."""
        try:
            yield
        except IllegalAction:
            raise
        except (KeyError, IndexError, ValueError) as error:
            raise ParseError(f"{self.path} is damaged: {error}") from None


def write_shard(path: Path, game: Game, header: dict[str, Any], arrays: Arrays) -> None:
    """Writes a shard whole or not at all; `header` needs the packer's tables, lines, blank and all `PROBLEMS`."""
    games = len(arrays["length"])
    write_arrays(path, {"game": game.name, "games": games, **header}, compact(arrays))


def packed_shard(packer: Packer, games_before: int) -> tuple[dict[str, Any], Arrays]:
    """The header and arrays of a shard whose only source is the packed games."""
    header = {
        **packer.tables(),
        "lines": [1 + games_before, packer.games],
        **{kind: [] for kind in ("blank", *PROBLEMS)},
    }
    return header, packer.arrays()


class Dataset(Sequence[GameRecord]):
    """The games of a folder, as a sequence of records in the order of their source.

    Raises:
        ParseError: if the folder is not a dataset, or an unfinished or damaged one.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.manifest = read_manifest(self.folder)
        self.game = get_game(self.manifest["game"])
        self.players: tuple[str, ...] = tuple(self.manifest["players"])
        counts: list[int] = self.manifest["shards"]
        for number, games in enumerate(counts):
            # A game takes more than a byte: the sum of larger counts may not even fit into memory.
            path = shard_path(self.folder, number)
            if not path.exists():
                raise ParseError(
                    f"{self.folder / MANIFEST} has {games} games in {path.name}, which is missing"
                )
            if not 0 <= games <= path.stat().st_size:
                raise ParseError(
                    f"{self.folder / MANIFEST} has {games} games in {path.name}, which is too small"
                )
        self._ends = list(accumulate(counts))
        self._shards: list[Shard | None] = [None] * len(counts)

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __getitem__(self, index: Any) -> Any:
        """The record of a game; for a slice, a list of records."""
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        shard, row = self._place(index)
        return shard.record(row, self.players)

    def __iter__(self) -> Iterator[GameRecord]:
        for shard in self.shards():
            for row in range(len(shard)):
                yield shard.record(row, self.players)

    def __repr__(self) -> str:
        return f"Dataset({str(self.folder)!r})"

    def __reduce__(self) -> Any:
        # Pickled as its path: a worker process opens and maps the files itself.
        return Dataset, (self.folder,)

    def state(self, index: int) -> State:
        """The last position of a game, every action checked; `state.history()` has its actions."""
        shard, row = self._place(index)
        return shard.rows.state(row)

    def searches(self, index: int) -> Searches | None:
        """The search results of a game; None if its file has none.

        Raises:
            ParseError: if the file is damaged.
        """
        shard, row = self._place(index)
        return shard.searches(row)

    def targets(
        self, games: NDArray[np.integer], steps: NDArray[np.integer], legal: NDArray[np.uint64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The search results at some decisions, as targets to learn from.

        Args:
            games: int [n], the numbers of the games, from 0.
            steps: int [n], the decisions, as indices of actions in their games.
            legal: uint64 [n], the actions that were legal there, as bits.

        Returns:
            Weights, float32 [n, 64] by action, summing to 1, or all zero if none are kept; values, float32 [n] for the
            seat to act, NaN if none is kept.

        Raises:
            IndexError: if there is no such game or step.
            ParseError: if a file is damaged, or has weights for more or fewer actions than are legal.
        """
        weights = np.zeros((len(games), 64), np.float32)
        values = np.empty(len(games), np.float32)
        for shard, owned, rows in self.by_shard(games):
            weights[owned], values[owned] = shard.targets(rows, steps[owned], legal[owned])
        return weights, values

    def column(self, name: str) -> NDArray[Any]:
        """One of `packing.COLUMNS` over all games; `server`, `start`, `ending` are indices into tables of the shards.

        Raises:
            KeyError: if there is no such column.
        """
        if not isinstance(name, str) or name not in COLUMNS:
            raise KeyError(f"a dataset has no column {shown(name)}: expected one of {', '.join(COLUMNS)}")
        columns = [shard.rows.column(name) for shard in self.shards()]
        return np.concatenate(columns) if columns else np.empty(0, np.int32)

    def deals(self) -> NDArray[np.uint64]:
        """uint64 [games]: a number of the deal of each game, equal where deals are."""
        low, high = (self.column(name).astype(np.uint64) for name in ("low", "high"))
        return low << np.uint64(32) | high

    def shards(self) -> Iterator[Shard]:
        """The files, in order."""
        return (self._shard(number) for number in range(len(self._shards)))

    def by_shard(
        self, games: NDArray[np.integer]
    ) -> Iterator[tuple[Shard, NDArray[np.int64], NDArray[np.integer]]]:
        """(file, indices into `games`, rows in the file) for some games, int [n], file by file.

        Raises:
            IndexError: if there is no such game.
        """
        games = check_array("a dataset", "games", np.int64, games)
        if len(games) and not (games.min() >= 0 and games.max() < len(self)):
            raise IndexError(f"games {games.min()}..{games.max()} of a dataset of {len(self)}")
        owners = np.searchsorted(self._ends, games, side="right")
        for number in np.unique(owners).tolist():
            owned = np.flatnonzero(owners == number)
            yield self._shard(number), owned, games[owned] - (self._ends[number - 1] if number else 0)

    def check(self) -> NDArray[np.uint8]:
        """uint8 [games]: the `Verdict` on each game, replayed through the rules at C speed."""
        return np.concatenate([np.empty(0, np.uint8), *(shard.check() for shard in self.shards())])

    def fingerprint(self) -> int:
        """A number that tells the games, their searches and players from others; from the headers of the files alone.

        Raises:
            ParseError: if a file is no shard of a dataset.
        """
        number = zlib.crc32(json.dumps(self.players).encode())
        for shard in range(len(self._shards)):
            number = zlib.crc32(header_text(shard_path(self.folder, shard)), number)
        return number

    def problems(self, kind: str) -> Iterator[tuple[int, str]]:
        """(line of the source, reason) of the lines with one kind of `PROBLEMS`."""
        return ((line, reason) for shard in self.shards() for line, reason in shard.header[kind])

    def _place(self, index: int) -> tuple[Shard, int]:
        index = check_option("a dataset", "index", int, index)
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
            if shard.rows.column("player").max(initial=0) >= max(len(self.players), 1):
                raise ParseError(f"{shard.path} has a player beyond the {len(self.players)} of the dataset")
            self._shards[number] = shard
        return shard


class DatasetWriter:
    """A context manager that writes a dataset game by game, and finishes it if the block ends without an error.

    Args:
        folder: the folder to create.
        game: the name of the game.
        games_per_shard: the number of games in a file.
        facts: further entries of `dataset.json`, such as the origin of the games.

    Raises:
        FileExistsError: if the folder is not empty.
    """

    def __init__(
        self,
        folder: str | Path,
        game: str,
        games_per_shard: int = GAMES_PER_SHARD,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.game = get_game(game)
        self.games_per_shard: int = check_option("a dataset", "games_per_shard", Count, games_per_shard)
        self._facts = dict(facts or {})
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
            write_manifest(self.folder, self.game, self._counts, list(self._players), **self._facts)

    def add(self, record: GameRecord, searches: Searches | None = None) -> None:
        """Adds a game and its search results.

        Raises:
            ParseError: if it is a record of another game, or the search results do not fit it.
        """
        self._packer.add(record, searches)
        self._write_full()

    def copy(self, dataset: Dataset, games: NDArray[np.integer]) -> None:
        """Adds games of another dataset and their search results; `games` are their numbers, int [n] ascending.

        Raises:
            ParseError: if the dataset is of another game, or damaged.
        """
        if dataset.game is not self.game:
            raise ParseError(f"games of {dataset.game.name} among games of {self.game.name}")
        for shard, _, rows in dataset.by_shard(games):
            while len(rows):
                room = self.games_per_shard - self._packer.games
                shard.copy(rows[:room], self._packer, dataset.players)
                rows = rows[room:]
                self._write_full()

    def _write_full(self) -> None:
        if self._packer.games == self.games_per_shard:
            self._write()

    def _write(self) -> None:
        packer = self._packer
        if packer.games:
            path = shard_path(self.folder, len(self._counts))
            write_shard(path, self.game, *packed_shard(packer, sum(self._counts)))
            self._counts.append(packer.games)
            self._packer = Packer(self.game, self._players)


def shard_path(folder: Path, number: int) -> Path:
    """The path of a shard."""
    return folder / f"{number:05}.shard"


def shards_so_far(folder: Path, game: Game) -> Iterator[Shard]:
    """Iterates over the shards that are there of a dataset in the making.

    Raises:
        ParseError: if one is damaged.
    """
    for number in count():
        path = shard_path(folder, number)
        if not path.exists():
            return
        try:
            yield Shard(path, game)
        except ParseError as error:
            raise ParseError(f"{error}; nothing is changed: delete the file to make it again") from None


def is_dataset(path: Path) -> bool:
    """Whether a path is the folder of a dataset, finished or not."""
    return any((path / name).exists() for name in (MANIFEST, JOURNAL, GENERATION, shard_path(path, 0).name))


def read_manifest(folder: Path) -> dict[str, Any]:
    """The contents of `dataset.json`.

    Raises:
        ParseError: if there is none, or it does not describe a dataset of skat_env.
    """
    path = folder / MANIFEST
    if not path.exists():
        if (folder / JOURNAL).exists():
            raise ParseError(f"{folder} is an unfinished import: the command that began it resumes it")
        if (folder / GENERATION).exists():
            raise ParseError(f"{folder} is an unfinished dataset: the command that began it resumes it")
        if is_dataset(folder):
            raise ParseError(f"{folder} is an unfinished dataset: delete it and make it again")
        raise ParseError(f"{folder} is not a dataset: it has no {MANIFEST}")
    try:
        manifest = unsealed(path.read_bytes())
        if manifest["format"] != FORMAT or not {"game", "players", "shards"} <= manifest.keys():
            raise ValueError
        get_game(manifest["game"])
    except UnknownName as error:
        raise ParseError(f"{path}: {error}") from None
    except WrongChecksum as error:
        raise ParseError(
            f"{path} is damaged: {error}; if you changed it yourself, remove its key 'crc32'"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ParseError(f"{path} does not describe a dataset of skat_env") from None
    source = manifest.get("source", {"name": ""})
    if not (
        _is_list(manifest["shards"], int)
        and _is_list(manifest["players"], str)
        and isinstance(source, dict)
        and isinstance(source.get("name"), str)
        and type(manifest.get("lines", 0)) is int
        and ("source" in manifest) <= ("lines" in manifest)
        and isinstance(duplicates := manifest.get("duplicates", []), list)
        and all(_is_list(pair, int) and len(pair) == 2 for pair in duplicates)
    ):
        raise ParseError(f"{path} is damaged: a value of another kind than expected")
    return manifest


def is_made_as(folder: Path, facts: Mapping[str, Any], games: int) -> bool:
    """Whether a folder holds a dataset of so many games that was made as some entries of `dataset.json` say."""
    try:
        dataset = Dataset(folder)
    except ParseError:
        return False
    return len(dataset) == games and all(dataset.manifest.get(key) == facts[key] for key in facts)


def _is_list(values: Any, kind: type) -> bool:
    return isinstance(values, list) and all(type(value) is kind for value in values)


def write_manifest(
    folder: Path, game: Game, games: Sequence[int], players: Sequence[str], **more: Any
) -> None:
    """Writes `dataset.json`, which finishes a dataset; `games` has the number of games in each shard."""
    manifest = {"format": FORMAT, "game": game.name, "shards": games, **more, "players": players}
    write_bytes(folder / MANIFEST, sealed(manifest, indent=1), b"\n")
