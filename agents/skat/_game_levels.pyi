"""The multipliers of games by the cards that count for the matadors."""

import numpy as np
from numpy.typing import NDArray

def game_levels(cards: NDArray[np.uint32]) -> NDArray[np.int64]:
    """The multipliers (matadors + 1) of the games D H S C grand with each set of cards, int64 [5, n]."""
