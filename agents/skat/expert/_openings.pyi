"""Where the situations of the opening stand in the tables of `openings.py`, and how they are counted."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.skat import SkatPosition

SHAPES: Final[dict[str, tuple[int, int, int]]]
"""The tables, entries and choices of each family of tables."""

class Family:
    """The counts of tables of one shape."""

    games: NDArray[np.int32]
    played: NDArray[np.int32]
    marked: NDArray[np.int32]
    best: NDArray[np.int32]

class OpeningCounter:
    """Counts decisions of players, and marks by open cards, in the situations of the tables."""

    trump: Family
    suit: Family
    lead_trump: Family
    cut: Family
    def add(self, position: SkatPosition, card: int, marks: NDArray[np.float32]) -> None: ...

class Openings:
    """The tables as the players read them."""

    def __init__(
        self,
        trump: NDArray[np.float32],
        suit: NDArray[np.float32],
        lead_trump: NDArray[np.float32],
        cut: NDArray[np.float32],
    ) -> None: ...
