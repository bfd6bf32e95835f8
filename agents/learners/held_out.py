"""Which games of a dataset are held back from learning."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

PARTS: Final = ("train", "valid", "test")


def held_out(games: int, share: float, seed: int) -> NDArray[np.bool_]:
    """Bool [games]: about a share of them; the same whatever else is drawn from the seed."""
    return np.random.default_rng([seed, games]).random(games) < share


def part_of_game(games: NDArray[np.int64], seed: int, shares: tuple[float, float]) -> NDArray[np.int8]:
    """Which of `PARTS` each row belongs to, int8 [n]: all decisions of a game to the same.

    Args:
        games: the game of each row.
        seed: another one splits otherwise.
        shares: of validation and test.
    """
    lots = np.random.default_rng(seed).random(int(games.max(initial=-1)) + 1)[games]
    valid, test = shares
    return np.where(lots < test, 2, np.where(lots < test + valid, 1, 0)).astype(np.int8)
