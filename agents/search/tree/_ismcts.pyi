"""Information-set Monte Carlo tree search on a game's C interface."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skat_env._encoder import Encoder
from skat_env.agents.search.tree._tree import InformationSets
from skat_env.agents.search.tree._worlds import Worlds
from skat_env.agents.search.tree.tree_options import TreeOptions

class Tree(InformationSets):
    """A search tree; later searches of the same seat in the same game can continue it.

    Args:
        signs: by seat, the weight of its return in the value of a game: positive for the declaring side, negative for
            the other.
        unit: the number of the reward unit.
        options: the options of the search.
    """

    def __init__(self, signs: Sequence[float], unit: int, options: TreeOptions) -> None: ...
    def search(self, worlds: Worlds, simulations: int, seconds: float, rollouts: int, stream: int) -> int:
        """Runs simulations with random rollouts and returns their number.

        Runs for `seconds` if that is above 0, otherwise `simulations` of them.
        """

    def halt(self) -> None:
        """Ends the search, which another thread runs, and any later one; the tree is of no more use."""

    def begin(self, worlds: Worlds) -> None:
        """Makes the view of the worlds the root of the search.

        Raises:
            ValueError: if leaves wait for their values, or the worlds are of another game than the tree.
        """

    @property
    def waiting(self) -> int:
        """The number of leaves that wait for their values."""

    def gather(self, worlds: Worlds, simulations: int, stream: int) -> int:
        """Begins simulations, whose leaves then wait for their values from `settle`; returns how many it began.

        With priors it begins only one at a root that is new. A waiting leaf counts as a visit with the worst value seen
        so far for everyone who chose on its path, so that later descents go elsewhere (virtual loss). A leaf where the
        game is over gets its value at once.
        """

    def leaves(self, worlds: Worlds) -> list[Any]:
        """The states of the waiting leaves."""

    def actors(self) -> NDArray[np.bool_]:
        """Whether the declaring side is to act at each waiting leaf, bool [leaves]."""

    def encode(self, encoder: Encoder, acting: bool, out: NDArray[np.float32], side: int = -1) -> None:
        """Writes the features of the waiting leaves, float32 [leaves, encoder.width].

        Args:
            encoder: must be able to read the leaves.
            acting: whether leaves are seen by the seat to act; if not, by the seat that searches.
            out: the rows to fill.
            side: only leaves where this side is to act: 0 the declaring side, 1 the other; -1: all.

        Raises:
            ValueError: if the encoder cannot read a leaf, or `out` has another shape.
        """

    def settle(
        self,
        values: NDArray[np.float64],
        logits: NDArray[np.float32] | None = None,
        outputs: NDArray[np.uint8] | None = None,
    ) -> None:
        """Gives the waiting leaves their values and backs them up.

        Args:
            values: float64 [leaves], for the declaring side.
            logits: with priors, the policy's outputs, float32 [leaves, n].
            outputs: with priors, the output of each action, uint8 [actions]; those that no leaf needs may be left out.

        Raises:
            ValueError: if the arrays do not fit the leaves or each other, or a number is not finite.
        """

    def root_edges(self) -> list[tuple[int, int, int, float, float]]:
        """(action, visits, times available, mean value for the declaring side, prior) of each action at the root."""
