"""Importing a file of millions of games into a dataset: streamed, on all cores, to be stopped and resumed.

The file is cut into blocks of lines; a block becomes a shard whose bytes depend on the block and on the
players seen before it, not on the number of workers. While the import is unfinished, `import.json` holds what
it was begun with and the players so far; it goes when `dataset.json` is written.
"""

import hashlib
import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from skat_env.datasets.dataset import (
    GAMES_PER_SHARD,
    JOURNAL,
    MANIFEST,
    PROBLEMS,
    Dataset,
    Shard,
    shard_path,
    shards_so_far,
    write_manifest,
    write_shard,
)
from skat_env.datasets.duplicates import find_duplicates
from skat_env.datasets.formats import LineFormat, format_of, read_lines
from skat_env.datasets.line_file import LineFile
from skat_env.datasets.packing import Arrays, Packer
from skat_env.errors import ParseError
from skat_env.options import Count, check_option
from skat_env.protocols import Game
from skat_env.records import HiddenCards
from skat_env.registry import get_game
from skat_env.tools.files import write_text
from skat_env.tools.run_folder import ADVICE, RunFolder, run_folder
from skat_env.tools.workers import map_ordered, require_workers

_SAMPLE_BYTES: Final = 1 << 20
"""A source is the same if its length and its first bytes are."""

Progress = Callable[[int], None]
"""Called with the bytes of the source read so far."""
Problems = list[tuple[int, str]]


@dataclass
class Block:
    """What a worker makes of a block of lines."""

    lines: int
    extra: list[int]
    """A line for every game on it but the first."""
    arrays: Arrays
    """The packed games; the players are numbered within the block."""
    players: list[str]
    tables: dict[str, list[str]]
    """The texts that columns number."""
    blank: list[int]
    bad: Problems
    hidden: Problems
    differing: Problems


def import_games(
    source: Path,
    folder: Path,
    numbered_names: bool = False,
    workers: int = 1,
    progress: Progress | None = None,
    lines_per_shard: int = GAMES_PER_SHARD,
) -> Dataset:
    """The dataset of a file of games, which a folder then holds.

    An import of the same source and options goes on where it was stopped; a finished one is left as it is. Lines that
    cannot be read are noted: `Dataset.problems`.

    Args:
        source: games in a format of `formats.py`, plain, .gz, .bz2, .xz or a .zip of one file.
        folder: where the dataset goes.
        numbered_names: whether to call the players player1, player2 … in order of appearance.
        workers: processes that read lines; 1 reads them in this one. The dataset does not depend on their number.
        progress: is called after every block.
        lines_per_shard: lines of a block; a killed import loses no more than a few blocks.

    Raises:
        ParseError: if the source is no file of games, has no line that can be read, or cannot be read to its end.
        ValueError: if there is no worker, or a block has no line.
        FileExistsError: if the folder holds something else.
        BlockingIOError: if another process is working in it.
    """
    require_workers(workers)
    lines_per_shard = check_option("an import", "lines_per_shard", Count, lines_per_shard)
    line_format = format_of(source)
    begun = {
        "source": _fingerprint(source) | {"format": line_format.name},
        "numbered_names": numbered_names,
        "lines_per_shard": lines_per_shard,
    }
    game = _game_of(source, line_format)
    with run_folder(
        folder, "import", JOURNAL, {**begun, "players": []}, compared=begun, finished=MANIFEST
    ) as opened:
        if not opened.is_finished:
            _import(source, opened, begun, game, line_format, workers, progress)
        opened.clear()
    return Dataset(folder)


@dataclass(frozen=True, slots=True)
class BlockPacker:
    """Packs blocks of lines; what a worker process keeps."""

    line_format: LineFormat
    game: str

    def __call__(self, block: tuple[int, int, bytes]) -> tuple[int, Block]:
        """The number of a block's first line, and what is made of its lines."""
        return block[0], pack_block(self.line_format, self.game, *block)


def pack_block(line_format: LineFormat, game_name: str, first: int, count: int, lines: bytes) -> Block:
    """Reads a block of lines; runs in a worker."""
    packer = Packer(get_game(game_name))
    unread = set(range(first, first + count))
    extra: list[int] = []
    problems: dict[str, Problems] = {"bad": [], "hidden": [], "differing": []}
    for number, reading in read_lines(line_format, first, lines):
        if number not in unread:
            extra.append(number)
        unread.discard(number)
        if isinstance(reading, ParseError):
            problems["hidden" if isinstance(reading, HiddenCards) else "bad"].append((number, str(reading)))
            continue
        try:
            packer.add(reading.record)
        except ParseError as error:
            problems["bad"].append((number, str(error)))
            continue
        if reading.differences:
            problems["differing"].append((number, "; ".join(reading.differences)))
    return Block(
        count,
        extra,
        packer.arrays(),
        list(packer.players),
        packer.tables(),
        sorted(unread),
        **problems,
    )


def _fingerprint(source: Path) -> dict[str, Any]:
    with source.open("rb") as file:
        digest = hashlib.sha256(file.read(_SAMPLE_BYTES)).hexdigest()
    return {"name": source.name, "bytes": source.stat().st_size, "sha256_of_first_mib": digest}


def _game_of(source: Path, line_format: LineFormat) -> Game:
    """The game of a file's first line that can be read."""
    first_problem = ""
    with LineFile(source) as file:
        for first, _, lines in file.blocks(1000, line_format.unclosed):
            for number, reading in read_lines(line_format, first, lines):
                if not isinstance(reading, ParseError):
                    return get_game(reading.record.game)
                first_problem = first_problem or f": {source}:{number}: {reading}"
    raise ParseError(f"no line of {source} can be read{first_problem}")


def _import(
    source: Path,
    opened: RunFolder,
    begun: dict[str, Any],
    game: Game,
    line_format: LineFormat,
    workers: int,
    progress: Progress | None,
) -> None:
    """Makes the shards that are missing, and finishes the dataset."""
    folder = opened.path
    counts, players = _done(folder, opened.head["players"], game)
    with LineFile(source) as file:
        blocks = islice(file.blocks(begun["lines_per_shard"], line_format.unclosed), len(counts), None)
        with closing(map_ordered(BlockPacker(line_format, game.name), blocks, workers)) as packed:
            for first, block in packed:
                _renumber(block, players)
                _write_journal(folder, begun, players)
                _write_block(shard_path(folder, len(counts)), game, block, first, len(players))
                counts.append(len(block.arrays["length"]))
                if progress:
                    progress(file.position)
    _finish(folder, begun, game, counts, list(players))


def _done(folder: Path, names: list[str], game: Game) -> tuple[list[int], dict[str, int]]:
    """The games of every shard that is there, and the players in them, by number."""
    counts: list[int] = []
    known: Any = 0
    for shard in shards_so_far(folder, game):
        counts.append(len(shard))
        known = shard.header.get("players_known")
        if type(known) is not int:
            raise ParseError(f"{shard.path} is not from an import; {ADVICE}")
    players = {name: number for number, name in enumerate(names[:known]) if isinstance(name, str)}
    if len(players) != known:
        raise ParseError(f"{folder / JOURNAL} is damaged: it does not name {known} players; {ADVICE}")
    return counts, players


def _write_journal(folder: Path, begun: dict[str, Any], players: dict[str, int]) -> None:
    write_text(folder / JOURNAL, json.dumps({**begun, "players": list(players)}))


def _renumber(block: Block, players: dict[str, int]) -> None:
    """Gives the players of a block their numbers in the dataset, new ones the next."""
    numbers = [players.setdefault(name, len(players)) for name in block.players]
    block.arrays["player"] = np.array(numbers, np.uint64)[block.arrays["player"]]


def _write_block(path: Path, game: Game, block: Block, first: int, players_known: int) -> None:
    header = {
        **block.tables,
        "lines": [first, block.lines],
        "players_known": players_known,
        "blank": block.blank,
        # Files without such lines stay the same, byte for byte.
        **({"extra": block.extra} if block.extra else {}),
        "bad": block.bad,
        "hidden": block.hidden,
        "differing": block.differing,
    }
    write_shard(path, game, header, block.arrays)


def _finish(folder: Path, begun: dict[str, Any], game: Game, counts: list[int], players: list[str]) -> None:
    """Writes what the dataset is."""
    shards = [Shard(shard_path(folder, number), game) for number in range(len(counts))]
    if begun["numbered_names"]:
        players = [f"player{number}" for number in range(1, len(players) + 1)]
    write_manifest(
        folder,
        game,
        counts,
        players,
        **begun,
        made_by=f"skat_env {_version()}",
        lines=sum(shard.line_count for shard in shards),
        problems={kind: sum(len(shard.header[kind]) for shard in shards) for kind in PROBLEMS},
        duplicates=find_duplicates(shards),
    )


def _version() -> str:
    try:
        return version("skat_env")
    except PackageNotFoundError:
        return "from a source tree"
