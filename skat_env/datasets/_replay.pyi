"""Games packed in bulk, rebuilt one by one, or checked in bulk at C speed, for every game."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from skat_env.protocols import State

S = TypeVar("S")

NO_RESULT: int
"""The entry of a result column if there is no result."""

def rebuild(start: S, place_sizes: Sequence[int], low: int, high: int, actions: NDArray[np.uint8]) -> S:
    """The state after some actions, each checked; `start` is a position without actions, with any deal.

    Raises:
        ParseError: if a place has the wrong number of cards.
        IllegalAction: if an action is not legal when it is played.
    """

def check_games(
    starts: list[State],
    place_sizes: list[int],
    start: NDArray[np.uint32],
    low: NDArray[np.uint32],
    high: NDArray[np.uint32],
    length: NDArray[np.uint8],
    status: NDArray[np.uint8],
    claim: NDArray[np.int8],
    result: NDArray[np.int16],
    actions: NDArray[np.uint8],
) -> NDArray[np.uint8]:
    """The verdict on each game, uint8 [games]. The arrays have one row per game; `actions` joins those of all games.

    Raises:
        ValueError: if a start is unknown or the number of actions is not the sum of the lengths.
    """

def pack_finished(
    states: list[State],
) -> tuple[
    NDArray[np.uint32],
    NDArray[np.uint32],
    NDArray[np.uint8],
    NDArray[np.uint8],
    NDArray[np.int16],
    NDArray[np.uint8],
]:
    """The columns of some finished games, at least one, and their actions joined.

    Returns:
        low and high, uint32 [games]; length, uint8 [games]; status, uint8 [games]; result, int16 [games, seats];
        actions, uint8 [steps].

    Raises:
        ValueError: if a game is not over, or of another kind than the first.
    """
