"""The value network of a game, which values positions of the cardplay as a seat sees them."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ValueNetwork:
    """The part `value_network` of a game: what learners of position values need to know."""

    encoder: str
    """The name of the encoder; it must read all positions of the cardplay, its end included, for every seat."""
    shuffle: Callable[[NDArray[np.float32], np.random.Generator], None]
    """Permutes interchangeable suits at random in each row of float32 [n, width], in place."""
