"""Games played in step by value networks, one a lane: a learner's loop without the networks and without the GIL.

A wave begins a game in every lane and ends when all are over. `advance` plays every game up to its next choice and
writes what the seat to act knows into the rows of its network. The caller evaluates the rows, and `choose` plays. Rows
stay where they were written: after the games they are the network's training data, with the games' values as targets.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skat_env._encoder import Encoder
from skat_env.protocols import State

class Actors:
    """The lanes and the rows of every network.

    Args:
        prototype: any state of the game.
        lanes: the number of games of a wave.
        encoders: the encoders of the networks. A network's 33 outputs are what each card, as the encoder numbers it,
            adds to the position's value, and the position's value.
        capacity: the maximum number of rows of a network in a wave (unchecked).
        route: int8 [contract, seats after the declarer]: the network of a seat.
        share: float32 [seats after the declarer]: the weights of the seats' returns in the game's value for the
            declaring side, whose seats have positive shares.
        unit: the number of the reward unit.
        scale: the factor from game units to targets.

    Raises:
        ValueError: if an encoder is of another game.
    """

    lanes: int
    """Games of a wave."""

    def __init__(
        self,
        prototype: State,
        lanes: int,
        encoders: list[Encoder],
        capacity: int,
        route: ArrayLike,
        share: ArrayLike,
        unit: int,
        scale: float,
    ) -> None: ...
    def begin(self, pool: NDArray[np.uint8], chosen: NDArray[np.int64], streams: NDArray[np.uint64]) -> None:
        """Starts a game in every lane, with a row for the start's value for the declarer.

        Args:
            pool: uint8 [starts, bytes] as `pack` makes them, of the cardplay.
            chosen: int64 [lanes], the starts.
            streams: uint64 [lanes], the lanes' random streams.

        Raises:
            ValueError, IndexError: if the arrays do not fit.
        """

    def advance(self) -> int:
        """Plays every game up to the next choice and writes its row; returns how many games are not over."""

    def waiting(self, network: int) -> NDArray[np.float32]:
        """The rows that wait for a choice, a view float32 [n, width]."""

    def choose(
        self, values: Sequence[NDArray[np.float32] | None], epsilon: float, temperature: float
    ) -> None:
        """Plays in every game the card of the highest value, or with probability `epsilon` one drawn by softmax.

        Args:
            values: for each network float32 [n, 33] of its waiting rows; None where it has none.
            epsilon: the probability.
            temperature: of the softmax, in units of the values, above 0; infinite: all cards are equally likely.

        Raises:
            ValueError: if there are too few values or they have another width.
        """

    def finish(self, trace: float) -> NDArray[np.float32]:
        """Sets the targets of all rows; returns the values of the finished games for the declarers, float32 [lanes].

        The target of a seat's last decision is the game's value. The target of any other is `trace` times the seat's
        next target plus the rest times the value that it expected then: Monte-Carlo with a trace of 1, below that
        TD(lambda), cut where the next card was not the best (Watkins 1989).
        """

    def data(self, network: int) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32]]:
        """All rows of a wave: views features float32 [n, width], outputs int64 [n], targets float32 [n]."""

def pack(states: list[Any]) -> NDArray[np.uint8]:
    """The structs of some States of one game, uint8 [n, bytes]: starts of the games that `Actors` play."""

def unpack(prototype: Any, packed: NDArray[np.uint8]) -> Any:
    """The State of one of the rows that `pack` made; `prototype` is any of its game."""
