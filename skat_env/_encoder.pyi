"""Float encodings of positions: what networks read, laid out as named slices and written in C."""

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from skat_env.features import Feature
from skat_env.protocols import Position, View

def unpickled(name: str) -> Encoder:
    """The encoder of a pickle, which holds its name alone."""

@final
class Encoder:
    """Writes what a seat knows as a row of floats. From a State it reads only what the seat's view holds.

    Networks record the name and version of the encoder that they were trained with. `encoders.get_encoder` finds one by
    name.
    """

    name: str
    """`GAME.NAME`, for example `skat.suit_soloist`."""
    version: int
    """Changes when the meaning of the features changes."""
    features: tuple[Feature, ...]
    """The layout of a row."""
    slices: dict[str, slice]
    """Where each feature lies in a row."""
    width: int
    """The number of floats in a row."""
    scope: str
    """A phrase that says which positions it can encode."""
    positions: type[Any]
    """The base class of the game's states and views."""

    def encode(
        self,
        positions: Sequence[Position],
        seats: Sequence[int] | None = None,
        out: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Encodes States or Views as float32 [n, width].

        Args:
            positions: n States or Views of its game.
            seats: the seat to encode each position for; None: the view's own seat, or in a state the seat to act.
            out: float32 [n, width] to write into; None: a new array.

        Raises:
            ValueError: if a position is outside its scope, a view is another seat's, or `out` has the wrong shape.
        """

    def labels(self, positions: Sequence[View]) -> NDArray[np.uint8]:
        """The numbers that each View's features give the 32 cards, uint8 [n, 32]; network outputs use the same numbers.

        They differ from the cards' own numbers if the encoder relabels suits, so that equivalent positions look alike.

        Raises:
            ValueError: if a view is outside its scope.
        """
