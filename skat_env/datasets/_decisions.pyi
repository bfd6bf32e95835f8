"""Games in memory, replayed to any of their decisions at C speed, for every game."""

from typing import final

import numpy as np
from numpy.typing import NDArray

from skat_env._encoder import Encoder
from skat_env.protocols import State

DECISION: np.dtype[np.void]
"""A row for a decision: `game`, `legal` (the legal actions as bits), `step` (the number of actions before it), `seat`,
`action`, `phase` (as the game's Phase numbers it) and `trick` (the number of complete tricks before it)."""

@final
class Games:
    """Games for random access; their actions must be legal (unchecked)."""

    def __init__(
        self,
        starts: list[State],
        start: NDArray[np.uint32],
        low: NDArray[np.uint32],
        high: NDArray[np.uint32],
        length: NDArray[np.uint8],
        actions: list[NDArray[np.uint8]],
    ) -> None:
        """The columns are those of packing.py, with one row per game; `starts` are positions without actions.

        The arrays in `actions`, joined, are the actions of all games in order; a game may not span two arrays.
        """

    def decisions(self, chosen: NDArray[np.uint8], encoder: Encoder | None) -> NDArray[np.void]:
        """The decisions of the chosen games that an encoder can encode (None: all), in order: `DECISION` [n]."""

    def rows(
        self,
        encoder: Encoder,
        games: NDArray[np.int64],
        steps: NDArray[np.int64],
        seats: NDArray[np.int64],
        out: NDArray[np.float32] | None,
        labels: NDArray[np.uint8] | None,
    ) -> NDArray[np.float32]:
        """Positions encoded as float32 [n, width]: row i is game `games[i]` after `steps[i]` actions, for `seats[i]`.

        Seat -1 is the seat to act. `labels`, uint8 [n, 32] or None, receives the numbers that the features give the
        cards, if the encoder renumbers them.

        Raises:
            ValueError: if there is no such game, step or seat, or the encoder cannot encode the position.
        """

    def places(self, games: NDArray[np.int64], steps: NDArray[np.int64]) -> NDArray[np.uint32]:
        """The cards at each place of game `games[i]` after `steps[i]` actions, one mask per place: uint32 [n, places].

        Raises:
            ValueError: if there is no such game or step.
        """

    def outcomes(
        self, unit: int, claim: NDArray[np.int8]
    ) -> tuple[NDArray[np.int32], NDArray[np.int8], NDArray[np.int8]]:
        """The results in a reward unit, int32 [games, seats]; declarers and contracts, int8 [games], -1 for none.

        A claim gives the remaining tricks to the declaring side (1) or to the other (0); -1: no claim. The result of an
        unfinished game without a claim is 0.
        """
