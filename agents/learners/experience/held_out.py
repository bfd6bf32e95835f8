"""The games of a dataset: opened for a game, and which of them are held out from learning."""

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.datasets.dataset import Dataset
from skat_env.errors import ParseError

PARTS: Final = ("train", "valid", "test")


def open_dataset(folder: str, game: str) -> Dataset:
    """The dataset of a folder.

    Raises:
        ParseError: if it holds games of another game.
    """
    dataset = Dataset(Path(folder))
    if dataset.game.name != game:
        raise ParseError(f"{folder} holds games of {dataset.game.name}, the config is of {game}")
    return dataset


def held_out(games: int, share: float, seed: int) -> NDArray[np.bool_]:
    """Bool [games]: which games are held out, about a share of them; the seed and their number alone decide."""
    return np.random.default_rng([seed, games]).random(games) < share


def require_training_part(valid: float, test: float) -> None:
    """Raises a ValueError if the shares of validation and test leave nothing to train on."""
    if valid + test >= 1:
        raise ValueError(
            f"valid = {valid:g} and test = {test:g} leave nothing to train on: expected less than 1 together"
        )


def part_of_game(games: NDArray[np.int64], seed: int, shares: tuple[float, float]) -> NDArray[np.int8]:
    """Which of `PARTS` each row belongs to, int8 [n]; all decisions of a game are in the same part.

    Args:
        games: the game of each row.
        seed: of the split.
        shares: of the games, for validation and for test.
    """
    lots = np.random.default_rng(seed).random(int(games.max(initial=-1)) + 1)[games]
    valid, test = shares
    return np.where(lots < test, 2, np.where(lots < test + valid, 1, 0)).astype(np.int8)
