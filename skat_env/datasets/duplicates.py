"""Games that a dataset has more than once, found by their identity on the server."""

from typing import Any

import numpy as np

from skat_env.datasets.dataset import Shard


def find_duplicates(shards: list[Shard]) -> list[tuple[int, int]]:
    """(line, line of the first copy) of the games whose server, series and id occurred before."""
    if not any(len(shard) for shard in shards):
        return []
    servers: dict[str, int] = {}
    columns: dict[str, list[Any]] = {"server": [], "series": [], "id": []}
    for shard in shards:
        numbers = [0] + [servers.setdefault(name, len(servers) + 1) for name in shard.rows.servers]
        columns["server"].append(np.array(numbers, np.uint32)[shard.rows.column("server")])
        for name in ("series", "id"):
            columns[name].append(shard.rows.column(name).astype(np.uint32))
    server, series, number = (np.concatenate(columns[name]) for name in ("server", "series", "id"))
    order = np.lexsort((number, series, server))
    same = (
        (server[order][1:] == server[order][:-1])
        & (series[order][1:] == series[order][:-1])
        & (number[order][1:] == number[order][:-1])
        & (server[order][1:] > 0)
    )
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
