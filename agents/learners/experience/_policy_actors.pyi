"""Games played in step by policies, whose cards are drawn, with a critic that sees all cards; without the GIL.

The critic is the last network: it has a row for every choice of the others, in the order of the choices.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.learners.experience._actors import Actors

class PolicyActors(Actors):
    """The lanes and the rows of every policy and of the critic; made as `Actors`, the critic's encoder last."""

    def draw(self, logits: Sequence[NDArray[np.float32] | None], temperature: float) -> None:
        """Plays in every game a card drawn by softmax.

        Args:
            logits: for each policy float32 [n, 32 or more] of its waiting rows; None where it has none.
            temperature: of the softmax, above 0.

        Raises:
            ValueError: if there are too few logits.
        """

    def worlds(self) -> NDArray[np.float32]:
        """The critic's rows of the games, a view float32 [n, width]."""

    def finish(  # type: ignore[override]
        self, values: NDArray[np.float32], trace: float, win: int
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Sets the targets and advantages of all rows from the finished games.

        The advantage of a choice is that of generalized advantage estimation (Schulman et al. 2016, equation 16) over
        all choices of the game, whoever makes them, with a discount of 1; targets of the critic are TD(lambda) returns.

        Args:
            values: the critic's values of its rows, for the declaring side, in units of targets.
            trace: lambda of both.
            win: the number of the reward unit that says who won.

        Returns:
            The games' values for the declaring side, float32 [lanes], and whether it won, bool [lanes].

        Raises:
            ValueError: if there are fewer values than rows.
        """

    def policy_data(self, network: int) -> tuple[NDArray[Any], ...]:
        """All rows of a policy.

        Features float32 [n, width], outputs int64 [n], logarithms of their probabilities float32 [n], legal outputs
        uint32 [n], advantages and results for the seat's side float32 [n].
        """

    def critic_data(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int32]]:
        """All rows of the critic: features float32 [n, width], targets float32 [n], lanes int32 [n]."""
