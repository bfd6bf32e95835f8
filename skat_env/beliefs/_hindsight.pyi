"""A game that one seat has seen, played again in many worlds at once: what the others decided from."""

from typing import final

import numpy as np
from numpy.typing import NDArray

from skat_env._encoder import Encoder
from skat_env.protocols import View

@final
class Replays:
    """The game of a view in many worlds, at the same step in all.

    Args:
        view: what a seat has seen.
        world: uint32 [places], a world of it, as `Belief` has them.
        dealt: uint32 [n, places], the cards as dealt in each world (or as they lay when the cardplay began, if the game
            starts there).
        hidden: uint32 [n], the cards that stand in the view's history as 255.

    Deals in which the game could not have gone as it did are not told from others (unchecked).
    """

    step: int
    """How many actions are played again so far."""

    def __init__(
        self,
        view: View,
        world: NDArray[np.uint32],
        dealt: NDArray[np.uint32],
        hidden: NDArray[np.uint32],
    ) -> None: ...
    def advance(self, step: int) -> None:
        """Plays on until so many actions are played.

        Raises:
            ValueError: if there are more already, or the game has not so many.
        """

    def write(
        self,
        encoder: Encoder,
        features: NDArray[np.float32],
        legal: NDArray[np.uint64],
        did: NDArray[np.uint64],
    ) -> NDArray[np.bool_]:
        """Writes what the seat to act knows in each world; which columns differ between worlds, bool [width].

        Args:
            encoder: of the features.
            features: float32 [n, width], written.
            legal: uint64 [n], written: the legal actions.
            did: uint64 [n], cards of each world. Where the encoder numbers cards its own way, these and the legal ones
                are renumbered so.

        Raises:
            ValueError: if the encoder does not read the positions, or an array has another shape.
        """

def log_chances(
    logits: NDArray[np.float32],
    needs: NDArray[np.uint64],
    legal: NDArray[np.uint64],
    did: NDArray[np.uint64],
) -> NDArray[np.float64]:
    """The logarithm of the share that outputs within `did` have of a softmax over those within `legal`, float64 [n].

    Args:
        logits: float32 [n, outputs].
        needs: uint64 [outputs], the bits that each output takes; it is within a set that has all of them.
        legal: uint64 [n].
        did: uint64 [n].

    NaN where a legal logit is one.
    """
