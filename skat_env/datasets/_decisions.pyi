"""Games in memory, replayed to any of their decisions at C speed; generic over games."""

from typing import final

import numpy as np
from numpy.typing import NDArray

from skat_env._encoder import Encoder
from skat_env.protocols import State

DECISION: np.dtype[np.void]
"""A decision: `game`, `legal` (the legal actions as bits), `step` (actions before it), `seat`, `action`, `phase` (as
the game's Phase) and `trick` (complete tricks before it)."""

@final
class Games:
    """Games whose actions are legal (unchecked), for random access."""

    def __init__(
        self,
        starts: list[State],
        start: NDArray[np.uint32],
        low: NDArray[np.uint32],
        high: NDArray[np.uint32],
        length: NDArray[np.uint8],
        actions: list[NDArray[np.uint8]],
    ) -> None:
        """The columns are those of packing.py, a row a game; `starts` are positions without actions.

        `actions` are arrays of which each goes on where the one before ends, in the order of the games.
        """

    def decisions(self, chosen: NDArray[np.uint8], encoder: Encoder | None) -> NDArray[np.void]:
        """The decisions of the chosen games that an encoder reads; None: all. `DECISION` [n], in order."""

    def rows(
        self,
        encoder: Encoder,
        games: NDArray[np.int64],
        steps: NDArray[np.int64],
        seats: NDArray[np.int64],
        out: NDArray[np.float32] | None,
        labels: NDArray[np.uint8] | None,
    ) -> NDArray[np.float32]:
        """The position of each game after so many steps, encoded for a seat: float32 [n, width]; -1: the seat to act.

        `labels`, uint8 [n, 32] or None, is given the numbers that the features give the cards, if not their own.

        Raises:
            ValueError: if there is no such game, step or seat, or the encoder does not read the position.
        """

    def places(self, games: NDArray[np.int64], steps: NDArray[np.int64]) -> NDArray[np.uint32]:
        """Where the cards of each game lie after so many steps, a mask a place: uint32 [n, places].

        Raises:
            ValueError: if there is no such game or step.
        """

    def outcomes(
        self, unit: int, claim: NDArray[np.int8]
    ) -> tuple[NDArray[np.int32], NDArray[np.int8], NDArray[np.int8]]:
        """The results in a reward unit, int32 [games, seats]; declarers and contracts, int8 [games], -1: none.

        A claim gives the open tricks to the declaring side (1) or the other (0); -1: none. An unfinished game has 0.
        """
