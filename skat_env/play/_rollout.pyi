"""Whole random games in C."""

import numpy as np
from numpy.typing import NDArray

from skat_env._position import Position

def random_games(prototype: Position, games: int, seed: int) -> tuple[int, NDArray[np.int32]]:
    """Deals and plays games at random, under the rules of a prototype.

    Returns the number of actions played, and the returns as int32 [games, seats] in the game's default unit.
    """
