"""Games that a dataset has more than once, found by their identity."""

import zlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env.datasets.dataset import Shard

_OURS: Final = ("match", "generate")
"""The servers of the records of matches and generations."""


def find_duplicates(shards: list[Shard]) -> list[tuple[int, int]]:
    """(line, line of the first copy) of the games whose identity occurred before.

    A server's games have its name, a series and an id. Ours count the deals of a match or a generation by id, from 0
    each time: the seed, the start, the deal, the players and the actions tell them apart.
    """
    if not any(len(shard) for shard in shards):
        return []
    servers: dict[str, int] = {}
    starts: dict[str, int] = {}
    parts = [_identities(shard, servers, starts) for shard in shards]
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    order = np.lexsort(columns[::-1])
    same = columns[0][order][1:] > 0
    for column in columns:
        same &= column[order][1:] == column[order][:-1]
    ends = np.cumsum([len(shard) for shard in shards])

    def line(game: int) -> int:
        at = int(np.searchsorted(ends, game, side="right"))
        return int(shards[at].lines[game - (int(ends[at - 1]) if at else 0)])

    duplicates = []
    begin = last = -2
    for place in np.flatnonzero(same).tolist():
        if place != last + 1:
            # The sort is stable: the first of a run of equal identities is also the first in the source.
            begin = place
        duplicates.append((line(int(order[place + 1])), line(int(order[begin]))))
        last = place
    return sorted(duplicates)


def _identities(shard: Shard, servers: dict[str, int], starts: dict[str, int]) -> list[NDArray[Any]]:
    """The columns of the games' identities: server (0: none), series, id, seed; and of our games what was played."""
    rows = shard.rows
    seed = rows.column("seed").astype(np.uint64)
    # Formats such as SGF do not keep the seed.
    ours = np.array([False, *(name in _OURS for name in rows.servers)])[rows.column("server")] | (seed > 0)
    server = np.array([0, *_numbers(rows.servers, servers)], np.uint32)[rows.column("server")]
    start = np.array(_numbers(rows.starts, starts), np.uint32)[rows.column("start")]
    series, number, low, high = (
        rows.column(name).astype(np.uint32) for name in ("series", "id", "low", "high")
    )
    players = rows.column("player").astype(np.uint32).T
    actions = np.zeros(len(shard), np.uint32)
    actions[ours] = [zlib.crc32(rows.actions(row).data) for row in np.flatnonzero(ours).tolist()]
    played = (start, low, high, *players, actions)
    return [server, series, number, seed, *(column * ours for column in played)]


def _numbers(texts: Sequence[str], known: dict[str, int]) -> list[int]:
    """The number of each text in all files, from 1."""
    return [known.setdefault(text, len(known) + 1) for text in texts]
