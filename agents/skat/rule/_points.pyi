"""The expected tournament points of many games at once, in the precision of the chances."""

import numpy as np
from numpy.typing import NDArray

def write_points(
    win: NDArray[np.floating],
    schneider: NDArray[np.floating],
    levels: NDArray[np.int64],
    bases: NDArray[np.int64],
    nulls: NDArray[np.int64],
    bid: int,
    hand: bool,
    out: NDArray[np.float64],
) -> None:
    """Writes the expected tournament points of the games D H S C grand, null, null ouvert.

    A game below the bid is won only if schneider lifts it to the bid; lost, it counts the value that reaches it.

    Args:
        win: the chances of winning, float32 or float64 [7, n].
        schneider: the chances of 90 points, of the same type, [5, n].
        levels: the multipliers of the trump games without schneider and hand, [5, n].
        bases: the base values of the trump games, [5].
        nulls: the values of null and null ouvert, [2].
        bid: the bid that the game must reach.
        hand: whether the games are hand games.
        out: float64 [7, n].

    Raises:
        ValueError: if the arrays do not fit each other.
    """
