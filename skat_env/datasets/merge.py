"""Merging datasets into one."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from skat_env.datasets.dataset import GAMES_PER_SHARD, Dataset, DatasetWriter, is_made_as
from skat_env.errors import ParseError
from skat_env.tools.new_folder import new_folder
from skat_env.tools.provenance import provenance


def merge(
    datasets: Sequence[Dataset], folder: Path, progress: Callable[[int], None] | None = None
) -> Dataset:
    """Writes the games of some datasets and their search results, in order, into a new dataset; all or nothing.

    Args:
        datasets: datasets of the same game. Games that several of them have are kept several times.
        folder: the folder of the new dataset.
        progress: called with the number of games written so far.

    Raises:
        ParseError: if no dataset is given, they are of different games, or one is damaged.
        FileExistsError: if the folder holds something else than these datasets merged before.
        BlockingIOError: if another process is making it.
    """
    games = sorted({dataset.game.name for dataset in datasets})
    if len(games) != 1:
        raise ParseError(f"cannot merge games of {' and '.join(games) or 'no dataset'}: expected one game")
    facts = {"fingerprints": [dataset.fingerprint() for dataset in datasets]}
    if is_made_as(folder, facts, sum(map(len, datasets))):
        return Dataset(folder)
    written = 0
    metadata = {**provenance(), "merged": [str(dataset.folder) for dataset in datasets], **facts}
    with new_folder(folder) as made, DatasetWriter(made, games[0], GAMES_PER_SHARD, metadata) as writer:
        for dataset in datasets:
            for some in np.array_split(np.arange(len(dataset)), 1 + len(dataset) // GAMES_PER_SHARD):
                writer.copy(dataset, some)
                written += len(some)
                if progress:
                    progress(written)
    return Dataset(folder)
