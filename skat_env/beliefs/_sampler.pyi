"""The dynamic programme behind belief.py: counts, probabilities, ranks, samples and marginals of a view's worlds."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from skat_env._position import Position

class Sampler:
    """The worlds of a view: every way to place its unknown cards, with a weight.

    A world is a row of masks: for each place of the game, the unknown cards there.
    """

    view: Position
    seat: int

    def __init__(self, view: Position, seat: int) -> None: ...
    @property
    def total(self) -> float:
        """The total weight of all worlds; if all weights are 1, the number of worlds, exact below 2**53."""

    @property
    def cards(self) -> list[int]:
        """The unknown cards."""

    @property
    def slots(self) -> list[int]:
        """The number of unknown cards at each place of the game."""

    def weights(self) -> NDArray[np.float64]:
        """The weights, float64 [32, places]; 0 if a card is known or cannot be at the place."""

    def multiply(self, weights: NDArray[np.float64]) -> None:
        """Multiplies the weights by float64 [32, places], scaled per card to a maximum of 1, and recounts."""

    def sample(self, n: int, stream: int) -> NDArray[np.uint32]:
        """Draws worlds independently with their exact probabilities: uint32 [n, places]."""

    def sample_backtracking(self, n: int, stream: int) -> NDArray[np.uint32]:
        """Draws worlds by Aaldering 2023, algorithm 2: uint32 [n, places]."""

    def unrank(self, ranks: NDArray[np.int64]) -> NDArray[np.uint32]:
        """The worlds with ranks 0 .. total - 1 in a fixed order: uint32 [n, places]. All weights must be 0 or 1."""

    def probability(self, rows: NDArray[np.uint32]) -> NDArray[np.float64]:
        """The exact probability of each world, float64 [n]; 0 for a row that is not a world."""

    def marginals(self) -> NDArray[np.float64]:
        """The probability that each unknown card is at each place, float64 [32, places]; 0 for known cards."""

    def states(self, rows: NDArray[np.uint32], streams: NDArray[np.uint64]) -> list[Any]:
        """New states of worlds; what a world leaves open is drawn from its stream."""
