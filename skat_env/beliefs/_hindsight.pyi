"""Replaying a game that one seat has seen in many worlds at once, to know what the others saw at their decisions."""

from typing import final

import numpy as np
from numpy.typing import NDArray

from skat_env._encoder import Encoder
from skat_env.protocols import View

@final
class Replays:
    """The game of a view, replayed in many worlds, at the same step in all.

    Args:
        view: the view of a seat.
        world: uint32 [places], a world of the view, as `Belief` has them.
        dealt: uint32 [n, places], the cards as dealt in each world; as they lay when the cardplay began, if the game
            starts there.
        hidden: uint32 [n], the cards that are 255 in the view's history.

    The game must be possible with each of the deals (unchecked).
    """

    step: int
    """The number of actions replayed so far."""

    def __init__(
        self,
        view: View,
        world: NDArray[np.uint32],
        dealt: NDArray[np.uint32],
        hidden: NDArray[np.uint32],
    ) -> None: ...
    def advance(self, step: int) -> None:
        """Replays actions up to a step.

        Raises:
            ValueError: if the step lies before the current one or beyond the game.
        """

    def write(
        self,
        encoder: Encoder,
        features: NDArray[np.float32],
        legal: NDArray[np.uint64],
        did: NDArray[np.uint64],
    ) -> NDArray[np.bool_]:
        """Writes the features of the seat to act in each world; returns bool [width], the columns that differ.

        Args:
            encoder: the encoder of the features.
            features: float32 [n, width], to write the features into.
            legal: uint64 [n], to write the legal actions into, as bits.
            did: uint64 [n], actions in each world, as bits. If the encoder renumbers cards, the cards in `did` and in
                `legal` are renumbered in the same way.

        Raises:
            ValueError: if the encoder cannot encode the positions, or an array has the wrong shape.
        """

def log_chances(
    logits: NDArray[np.float32],
    needs: NDArray[np.uint64],
    legal: NDArray[np.uint64],
    did: NDArray[np.uint64],
) -> NDArray[np.float64]:
    """The log of the total softmax probability of the outputs within `did`, over those within `legal`: float64 [n].

    Args:
        logits: float32 [n, outputs].
        needs: uint64 [outputs], the bits of each output; an output is within a set that has all its bits.
        legal: uint64 [n], the legal actions of each row, as bits.
        did: uint64 [n], the actions of each row whose probability is wanted, as bits.

    A row with NaN among its legal logits gives NaN.
    """
