"""N lanes of one game, stepped at once in C."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from skat_env._position import Position
from skat_env.protocols import State

LANES_PER_THREAD: Final[int]
"""The fewest lanes for which a thread is made."""

class Batch:
    """The games in N lanes, and the buffers that every call overwrites."""

    observation: NDArray[np.int8]
    """[lanes, features], as the player to act sees the game."""
    action_mask: NDArray[np.int8]
    """[lanes, actions]."""
    current_player: NDArray[np.int32]
    """[lanes]: the seat to act; -1 if the game is over."""
    rewards: NDArray[np.float32]
    """[lanes, seats]: the rewards of games that the last call finished; else 0."""
    terminations: NDArray[np.bool_]
    """[lanes]: whether the last call finished the game."""
    seats: NDArray[np.int32]
    """[lanes]: the caller's seat; -1 if the caller plays every seat."""
    random_mask: NDArray[np.uint8]
    """[lanes]: the seats that play at random, as bits, if the caller plays one seat."""

    def __init__(self, prototype: Position, lanes: int, unit: int, scale: float) -> None: ...
    def renew(self, empty: Callable[[tuple[int, ...], Any], NDArray[Any]]) -> None:
        """Takes new arrays for what the calls write; `empty(shape, dtype)` makes one. `reset` and `step` fill them."""

    def seed(self, streams: NDArray[np.uint64]) -> None:
        """Sets the lanes' random streams, uint64 [lanes]."""

    def set_starts(self, states: list[State]) -> None:
        """Makes games begin at positions drawn from a list that is not empty."""

    def first_illegal(self, actions: NDArray[np.int64]) -> int:
        """The first lane with an illegal action (a finished game accepts any action); -1: none."""

    def position(self, i: int) -> Any:
        """A copy of a lane's game, as a State."""

    def reset(self, threads: int = 1) -> None:
        """Starts a new game in every lane; the caller plays every seat."""

    def step(self, actions: NDArray[np.int64], same_step: bool, threads: int = 1) -> int:
        """Plays an action in every lane; the caller plays every seat.

        With `same_step` a finished game is replaced at once, else by the next call, which ignores the lane's action.
        Returns the first lane with an illegal action, and then nothing was played; -1: all are legal.
        """

    def step_seat(self, actions: NDArray[np.int64]) -> None:
        """Plays a legal action (unchecked) in every lane, then the random seats until another seat is to act.

        Finished games and lanes with a negative action stay as they are.
        """

    def restart_seat(self, seat: int, chosen: NDArray[np.uint8]) -> None:
        """Starts new games in the chosen lanes and plays up to the caller's turn; a negative seat is drawn for each."""

    def restart(self, chosen: NDArray[np.uint8]) -> None:
        """Starts new games in the chosen lanes and plays the random seats until another seat is to act.

        `seats` and `random_mask` must be set. A game in which only random seats have a turn is played to its end.
        """
