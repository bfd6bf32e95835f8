"""Information-set Monte Carlo tree search over the C face of a game."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search._worlds import Worlds
from skat_env._encoder import Encoder

class Tree:
    """The statistics of a search, which later searches of the same seat in the same game go on with.

    Args:
        signs: by seat, +1 of the declaring side, -1 of the other, divided by what turns the sum of the returns into the
            difference of the sides.
        unit: the reward unit's number.
        c: the exploration constant, in half ranges of the values seen so far, or in points if not `relative`.
        relative: see `c`.
        by_availability: count, under the logarithm, the simulations in which the action was available (Cowling 2012),
            not all simulations so far (Aaldering 2023, algorithm 1).
        private: nodes of other seats tell their cards apart (many observers).
        priors: actions are selected by a policy's priors (PUCT); leaves are where it has not been asked yet.
        rollout_share: how much of a leaf's value is that of a random rollout; the rest is brought from outside.
    """

    def __init__(
        self,
        signs: Sequence[float],
        unit: int,
        c: float,
        relative: bool,
        by_availability: bool,
        private: bool,
        priors: bool = False,
        rollout_share: float = 0,
    ) -> None: ...
    @property
    def size(self) -> int:
        """The number of edges: of actions tried at information sets."""

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
