"""N games of one kind stepped at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skat_env._position import Position
from skat_env.protocols import State

class Batch:
    """The games of N lanes, and the buffers that every call fills anew."""

    observation: NDArray[np.int8]
    """[lanes, features], as the player to act sees the game."""
    action_mask: NDArray[np.int8]
    """[lanes, actions]."""
    current_player: NDArray[np.int32]
    """[lanes]; -1 where the game is over."""
    rewards: NDArray[np.float32]
    """[lanes, seats]; 0 but for games that the last call has finished."""
    terminations: NDArray[np.bool_]
    """[lanes]: the last call has finished the game."""
    seats: NDArray[np.int32]
    """[lanes]: the own seat of a one-seat lane; -1 where every seat is the caller's."""
    random_mask: NDArray[np.uint8]
    """[lanes]: of a one-seat lane, the seats that play at random, as bits."""

    def __init__(self, prototype: Position, lanes: int, unit: int, scale: float) -> None: ...
    def seed(self, streams: NDArray[np.uint64]) -> None:
        """Sets the lanes' random streams, uint64 [lanes]."""

    def set_starts(self, states: list[State]) -> None:
        """Lets games begin at positions drawn from a list instead of at fresh deals; an empty list undoes it."""

    def first_illegal(self, actions: NDArray[np.int64]) -> int:
        """The first lane whose action is not legal (a lane whose game is over accepts any); -1: none."""

    def position(self, i: int) -> Any:
        """A copy of a lane's game as a State."""

    def reset(self) -> None:
        """Starts a new game in every lane; every seat is the caller's."""

    def step(self, actions: NDArray[np.int64], same_step: bool) -> None:
        """Plays a legal action (unchecked) in every lane; every seat is the caller's."""

    def reset_seat(self, seat: int) -> None:
        """Starts a new game in every lane and plays it on to the own seat's turn; negative: a random seat a game."""

    def step_seat(self, actions: NDArray[np.int64]) -> None:
        """Plays a legal action (unchecked) in every lane, then the random seats until another is to act.

        Games that are over, and those with a negative action, stay as they are.
        """

    def restart_seat(self, seat: int, chosen: NDArray[np.uint8]) -> None:
        """Starts new games in the chosen lanes, as `reset_seat` does."""

    def restart(self, chosen: NDArray[np.uint8]) -> None:
        """Starts new games in the chosen lanes, whose `seats` and `random_mask` are set, up to a seat not random.

        A game in which only random seats have a turn is over then.
        """
