"""Float encodings of positions: what networks read, laid out as named slices and written in C."""

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from skat_env.features import Feature
from skat_env.protocols import Position, View

@final
class Encoder:
    """A way to write what a seat knows as a row of floats: of a State it reads only what the seat's view holds.

    Networks name the encoder and the version that they were trained with. `encoders.get_encoder` has them by name.
    """

    name: str
    """`GAME.NAME`, as in `skat.suit_soloist`."""
    version: int
    """Another number: the features mean something else."""
    features: tuple[Feature, ...]
    """The layout of a row."""
    slices: dict[str, slice]
    """Where each feature lies in a row."""
    width: int
    """The floats of a row."""
    scope: str
    """Which positions it reads, in words."""
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
            seats: for which seat to encode each; None: a view's own, and in a state the one to act.
            out: float32 [n, width] to write into; None: a new array.

        Raises:
            ValueError: if a position is not of its scope, a view is not the seat's, or `out` has another shape.
        """

    def labels(self, views: Sequence[View]) -> NDArray[np.uint8]:
        """uint8 [n, 32]: the number that the features of each View give every card, and networks their outputs.

        Encoders that relabel the suits, so that equal situations look equal, give others than the cards' own.

        Raises:
            ValueError: if a view is not of its scope.
        """
