"""Information-set Monte Carlo tree search over the C face of a game."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search._tree import InformationSets
from agents.search._worlds import Worlds
from agents.search.tree_options import TreeOptions
from skat_env._encoder import Encoder

class Tree(InformationSets):
    """The statistics of a search, which later searches of the same seat in the same game go on with.

    Args:
        signs: by seat, +1 of the declaring side, -1 of the other, divided by what turns the sum of the returns into the
            difference of the sides.
        unit: the reward unit's number.
        options: how the tree is searched.
    """

    def __init__(self, signs: Sequence[float], unit: int, options: TreeOptions) -> None: ...
    def search(self, worlds: Worlds, simulations: int, seconds: float, rollouts: int, stream: int) -> int:
        """Adds simulations with random rollouts: so many, or as many as fit in a time above 0; returns how many."""

    def begin(self, worlds: Worlds) -> None:
        """Makes a view the root for `gather`."""

    @property
    def waiting(self) -> int:
        """How many leaves wait for their values."""

    def gather(self, worlds: Worlds, simulations: int, stream: int) -> int:
        """Begins so many simulations, whose leaves wait for `settle` to bring their values; returns how many it began:
        with priors just one at an information set that is new.

        Until then each counts as a visit that brought the worst value seen to all who chose on its path, so that the
        next descent goes elsewhere (virtual loss). A leaf at which the game is over is settled at once.
        """

    def leaves(self, worlds: Worlds) -> list[Any]:
        """The states of the leaves that wait."""

    def actors(self) -> NDArray[np.bool_]:
        """Whether the declaring side is to act at the leaves that wait, bool [leaves]."""

    def encode(self, encoder: Encoder, acting: bool, out: NDArray[np.float32], side: int = -1) -> None:
        """Writes the leaves that wait as float32 [leaves, encoder.width]: as the seat to act sees them, or the one that
        searches; with a side (0 the declaring one) only those where it acts. The encoder must read them (unchecked).
        """

    def settle(
        self,
        values: NDArray[np.float64],
        logits: NDArray[np.float32] | None = None,
        outputs: NDArray[np.uint8] | None = None,
    ) -> None:
        """Brings the values of the leaves that wait: of the declaring side, float64 [leaves].

        With priors also the policy's logits, float32 [leaves, n], and uint8 [actions] which logit is an action's.
        """

    def root_edges(self) -> list[tuple[int, int, int, float, float]]:
        """(action, visits, times available, mean value of the declaring side, prior) of each action at the root."""
