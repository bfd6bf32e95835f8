"""Games from packed deals and actions, one rebuilt or many checked at C speed; generic over games."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from skat_env.protocols import State

S = TypeVar("S")

NO_RESULT: int
"""Stands in a result column for no result."""

def rebuild(start: S, place_sizes: Sequence[int], low: int, high: int, actions: NDArray[np.uint8]) -> S:
    """The state after some actions, each checked; `start` is a position without actions, of any deal.

    Raises:
        ParseError: if a place has the wrong number of cards.
        IllegalAction: if an action is not legal where it stands.
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
    """A verdict a game, uint8 [games]; the arrays have a row a game, the actions of all follow each other.

    Raises:
        ValueError: if a start is unknown or the actions are not as many as the lengths say.
    """
