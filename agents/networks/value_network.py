"""The network that values the positions of a game's cardplay, as each seat sees them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ValueNetwork:
    """What learners of positions' values need to know of a game: its part `value_network`."""

    encoder: str
    """The name of the encoder that it reads: all positions of the cardplay and its end, for every seat."""
    shuffle: Callable[[NDArray[np.float32], np.random.Generator], None]
    """Draws for every row, float32 [n, width], an order of the suits that are alike, in place."""
