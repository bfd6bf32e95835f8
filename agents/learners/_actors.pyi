"""Games played in step by value networks, one a lane: all of a learner's loop but the networks, without the GIL.

A wave begins a game in every lane and ends when all are over. `advance` plays every game on to its next choice and
writes what the seat to act knows into the rows of its network; the caller values the rows' actions, `choose` plays.
Rows stay where they were written: at the end they are the network's training data, with the game's worth as targets.
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
        lanes: games of a wave.
        encoders: of the networks. Their 33 outputs are what each card, as the encoder numbers it, adds to what the
            position is worth, and that.
        capacity: rows of a network and wave, at most (unchecked).
        route: int8 [contract, seats after the declarer]: the network that a seat asks.
        share: float32 [seats after the declarer]: times what the seats get, the sum is the declaring side's worth; who
            has a positive share is of that side.
        unit: number of the reward unit.
        scale: factor of the targets.

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
        """Starts a game in every lane, with a row of what the start is worth to the declarer.

        Args:
            pool: uint8 [starts, bytes] as `pack` makes them, of the cardplay.
            chosen: int64 [lanes], the starts.
            streams: uint64 [lanes], the lanes' random streams.

        Raises:
            ValueError, IndexError: if the arrays do not fit.
        """

    def advance(self) -> int:
        """Plays every game on to the next seat that has a choice and writes its row; how many games are not over."""

    def waiting(self, network: int, multiple: int) -> NDArray[np.float32]:
        """The rows that wait for a choice, a view float32 [n, width].

        n is rounded up to a multiple, so that networks see few shapes; the rows too many mean nothing.
        """

    def choose(
        self, values: Sequence[NDArray[np.float32] | None], epsilon: float, temperature: float
    ) -> None:
        """Plays in every game the card of the highest value, or with chance `epsilon` one drawn by softmax.

        Args:
            values: for each network float32 [n, 33] of its waiting rows; None where it has none.
            epsilon: a chance.
            temperature: in units of the values, above 0; infinite: any card as likely as any other.

        Raises:
            ValueError: if values are too few or of another width.
        """

    def finish(self, trace: float) -> NDArray[np.float32]:
        """Sets the targets of all rows from the finished games; their worths to the declarers, float32 [lanes].

        The target of a decision is a share `trace` of the seat's next target, and the rest of the value that it
        expected then; of its last decision, what the game was worth. With 1 that is the game's worth throughout
        (Monte-Carlo), below it TD(lambda), cut where the next card was not the best (Watkins 1989).
        """

    def data(self, network: int) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.float32]]:
        """All rows of a wave: views features float32 [n, width], outputs int64 [n], targets float32 [n]."""

def pack(states: list[Any]) -> NDArray[np.uint8]:
    """The structs of some States of one game, uint8 [n, bytes]: starts of the games that `Actors` play."""

def unpack(prototype: Any, packed: NDArray[np.uint8]) -> Any:
    """The State of one of the rows that `pack` made; `prototype` is any of its game."""
