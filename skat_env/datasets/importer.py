"""Importing a file of millions of games into a dataset: streamed, on all cores, to be stopped and resumed.

The file is cut into blocks of lines; a block becomes a shard whose bytes depend on the block and on the
players seen before it, not on the number of workers. While the import is unfinished, `import.json` holds what
it was begun with and the players so far; it goes when `dataset.json` is written.
"""

import hashlib
import json
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
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
    read_manifest,
    shard_path,
    write_manifest,
    write_shard,
)
from skat_env.datasets.duplicates import find_duplicates
from skat_env.datasets.formats import LineFile, LineFormat, format_of, read_lines
from skat_env.datasets.packing import Arrays, Packer
from skat_env.errors import ParseError
from skat_env.protocols import Game
from skat_env.records import HiddenCards
from skat_env.registry import get_game
from skat_env.tools.files import locked, write_text

_SAMPLE_BYTES: Final = 1 << 20
"""A source is the same if its length and its first bytes are."""

Progress = Callable[[int], None]
"""Is told the bytes of the source read so far."""
Problems = list[tuple[int, str]]


@dataclass
class Block:
    """What a worker makes of a block of lines."""

    lines: int
    arrays: Arrays
    """The packed games; the players are numbered within the block."""
    players: list[str]
    starts: list[str]
    servers: list[str]
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

    A folder with an import of the same source and options is gone on with, or left if finished; any other that
    is not empty is refused. Lines that cannot be read are noted: `Dataset.problems`.

    Args:
        source: games one a line in a format of `formats.py`, plain, .gz or .bz2.
        folder: where the dataset goes.
        numbered_names: whether to call the players player1, player2 … in order of appearance.
        workers: processes that read lines; 1 reads them here. The dataset does not depend on it.
        progress: is called after every block.
        lines_per_shard: lines of a block: what a killed import loses at most.

    Raises:
        ParseError: if the source is no file of games, or cannot be read to its end.
        FileExistsError: if the folder holds something else.
    """
    line_format = format_of(source)
    begun = {
        "source": _fingerprint(source) | {"format": line_format.name},
        "numbered_names": numbered_names,
        "lines_per_shard": lines_per_shard,
    }
    if _is_finished(folder, begun):
        return Dataset(folder)
    game = _game_of(source, line_format)
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder), LineFile(source) as file:
        counts, players = _resume(folder, begun, game)
        with closing(_packed(file, game, line_format, lines_per_shard, len(counts), workers)) as blocks:
            for first, block in blocks:
                _renumber(block, players)
                _write_journal(folder, begun, players)
                _write_block(shard_path(folder, len(counts)), game, block, first, len(players))
                counts.append(len(block.arrays["length"]))
                if progress:
                    progress(file.position)
        _finish(folder, begun, game, counts, list(players))
    return Dataset(folder)


def pack_block(line_format: LineFormat, game_name: str, first: int, count: int, lines: bytes) -> Block:
    """Reads a block of lines; runs in a worker."""
    packer = Packer(get_game(game_name))
    unread = set(range(first, first + count))
    problems: dict[str, Problems] = {"bad": [], "hidden": [], "differing": []}
    for number, reading in read_lines(line_format, first, lines):
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
        packer.arrays(),
        list(packer.players),
        list(packer.starts),
        list(packer.servers),
        sorted(unread),
        **problems,
    )


def _fingerprint(source: Path) -> dict[str, Any]:
    with source.open("rb") as file:
        digest = hashlib.sha256(file.read(_SAMPLE_BYTES)).hexdigest()
    return {"name": source.name, "bytes": source.stat().st_size, "sha256_of_first_mib": digest}


def _game_of(source: Path, line_format: LineFormat) -> Game:
    """The game of a file's first line that can be read."""
    if line_format.games:
        return get_game(line_format.games[0])
    problem = ""
    with LineFile(source) as file:
        for first, _, lines in file.blocks(1000):
            for number, reading in read_lines(line_format, first, lines):
                if not isinstance(reading, ParseError):
                    return get_game(reading.record.game)
                problem = problem or f"{source}:{number}: {reading}"
    raise ParseError(f"no line of {source} can be read: {problem}")


def _is_finished(folder: Path, begun: dict[str, Any]) -> bool:
    if not (folder / MANIFEST).exists():
        return False
    manifest = read_manifest(folder)
    if any(manifest.get(key) != value for key, value in begun.items()):
        raise FileExistsError(
            f"{folder} is a dataset already, of another source or other options: nothing is changed"
        )
    return True


def _resume(folder: Path, begun: dict[str, Any], game: Game) -> tuple[list[int], dict[str, int]]:
    """The games of every shard that is there, and the players in them, by number."""
    if all(path.name == f".{JOURNAL}.partial" for path in folder.iterdir()):
        _write_journal(folder, begun, {})
    try:
        journal = json.loads((folder / JOURNAL).read_text())
    except (OSError, ValueError):
        raise FileExistsError(
            f"{folder} is not empty and holds no unfinished import: nothing is changed"
        ) from None
    names = journal.pop("players", None)
    if journal != begun or not isinstance(names, list):
        raise FileExistsError(
            f"{folder} holds an unfinished import of another source or with other options: nothing is changed"
        )
    counts: list[int] = []
    known = 0
    while shard_path(folder, len(counts)).exists():
        shard = Shard(shard_path(folder, len(counts)), game)
        counts.append(len(shard))
        known = shard.header["players_known"]
    return counts, {name: number for number, name in enumerate(names[:known])}


def _write_journal(folder: Path, begun: dict[str, Any], players: dict[str, int]) -> None:
    write_text(folder / JOURNAL, json.dumps({**begun, "players": list(players)}))


def _renumber(block: Block, players: dict[str, int]) -> None:
    """Gives the players of a block their numbers in the dataset, new ones the next."""
    numbers = [players.setdefault(name, len(players)) for name in block.players]
    block.arrays["player"] = np.array(numbers, np.uint64)[block.arrays["player"]]


def _write_block(path: Path, game: Game, block: Block, first: int, players_known: int) -> None:
    header = {
        "starts": block.starts,
        "servers": block.servers,
        "lines": [first, block.lines],
        "players_known": players_known,
        "blank": block.blank,
        "bad": block.bad,
        "hidden": block.hidden,
        "differing": block.differing,
    }
    write_shard(path, game, header, block.arrays)


def _finish(folder: Path, begun: dict[str, Any], game: Game, counts: list[int], players: list[str]) -> None:
    """Writes what the dataset is, and takes away what only its import needed."""
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
    for leftover in (folder / JOURNAL, *folder.glob(".*.partial")):
        leftover.unlink(missing_ok=True)


def _packed(
    file: LineFile, game: Game, line_format: LineFormat, lines: int, done: int, workers: int
) -> Generator[tuple[int, Block], None, None]:
    """(first line, block) of the blocks of a file in order, without those that are done."""
    tasks = ((line_format, game.name, *block) for block in islice(file.blocks(lines), done, None))
    if workers <= 1:
        yield from ((task[2], pack_block(*task)) for task in tasks)
        return
    # Spawned, not forked: a fork of a process that has threads may hang.
    context = get_context("spawn")
    leash, held = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, context, _on_leash, (leash,))
    waiting: deque[tuple[int, Future[Block]]] = deque()
    try:
        for task in tasks:
            waiting.append((task[2], pool.submit(pack_block, *task)))
            # One more than there are workers, so that none of them idles while a block is written.
            if len(waiting) > workers:
                first, block = waiting.popleft()
                yield first, block.result()
        for first, block in waiting:
            yield first, block.result()
        pool.shutdown()
    except BrokenExecutor as error:
        raise ChildProcessError(
            f"a worker was killed ({error}): the same command goes on from there"
        ) from None
    finally:
        held.close()
        leash.close()
        pool.shutdown(wait=False, cancel_futures=True)


def _on_leash(leash: Connection) -> None:
    """Lets this worker end at once when the importing process lets go of the pipe, or is killed and so does."""
    # Ctrl-C goes to all processes of a terminal: it is for the importing one to handle.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        leash.poll(None)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _version() -> str:
    try:
        return version("skat_env")
    except PackageNotFoundError:
        return "from a source tree"
