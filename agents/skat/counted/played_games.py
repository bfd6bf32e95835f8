"""The recorded games that tables are counted in."""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from skat_env.datasets.dataset import Dataset
from skat_env.records import Status
from skat_env.tools.progress import progress_bar

_ABORTED: Final = tuple(Status).index(Status.ABORTED)


def played_games(dataset: Dataset) -> Iterator[tuple[int, Any]]:
    """Yields (number, last position) of each game that reached the cardplay and was not aborted; some were claimed."""
    status = dataset.column("status")
    with progress_bar("games", len(dataset)) as advance:
        for game in np.flatnonzero(status != _ABORTED).tolist():
            state: Any = dataset.state(game)
            if state.soloist >= 0 and state.stage == dataset.game.stages[-1]:
                yield game, state
            if game % 1000 == 0:
                advance(game)
