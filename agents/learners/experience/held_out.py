"""The games of a dataset: opened for a game, and which of them are held out from learning."""

from pathlib import Path
from typing import Any, Final

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


def first_of_deal(deals: NDArray[Any]) -> NDArray[np.int64]:
    """int64 [games]: the first game with the deal of each, of the deals of some games."""
    _, first, deal = np.unique(deals, return_index=True, return_inverse=True)
    return np.asarray(first[deal])


def first_games(dataset: Dataset) -> NDArray[np.int64]:
    """int64 [games]: the first game of a dataset with the deal of each.

    Its lot is that of all of them: in a match each deal is played several times, and none may be learnt from and held
    out as well.
    """
    return first_of_deal(dataset.deals())


def held_out(dataset: Dataset, share: float, seed: int) -> NDArray[np.bool_]:
    """Bool [games]: which games are held out, about a share of the deals."""
    lots = np.random.default_rng([seed, len(dataset)]).random(len(dataset))
    return lots[first_games(dataset)] < share


def require_training_part(valid: float, test: float) -> None:
    """Raises a ValueError if the shares of validation and test leave nothing to train on."""
    if valid + test >= 1:
        raise ValueError(
            f"valid = {valid:g} and test = {test:g} leave nothing to train on: expected less than 1 together"
        )


def part_of_game(games: NDArray[np.int64], seed: int, shares: tuple[float, float]) -> NDArray[np.int8]:
    """Which of `PARTS` each row belongs to, int8 [n]; all decisions of a deal are in the same part.

    Args:
        games: the first game with the deal of each row's.
        seed: of the split.
        shares: of the deals, for validation and for test.
    """
    lots = np.random.default_rng(seed).random(int(games.max(initial=-1)) + 1)[games]
    valid, test = shares
    return np.where(lots < test, 2, np.where(lots < test + valid, 1, 0)).astype(np.int8)
