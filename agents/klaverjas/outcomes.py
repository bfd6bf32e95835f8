"""Outcomes in Klaverjas: whether the game is made, or some difference reached."""

from collections.abc import Sequence

import numpy as np

from skat_env.agents.search.outcomes.outcomes import Levels
from skat_env.klaverjas import KlaverjasState
from skat_env.solvers._followed import FollowedWorlds
from skat_env.solvers.klaverjas import Question, Solver


class KlaverjasOutcomes:
    """The outcomes of Klaverjas."""

    lowest = -500
    highest = 500
    counted = "difference"

    def followed(self) -> FollowedWorlds:
        """Worlds for the open-card solver."""
        return Solver().followed()

    def win(self, states: Sequence[KlaverjasState]) -> Levels:
        """Whether the declaring team makes the game."""
        return Levels([Question("made")] * len(states), np.ones((len(states), 1), np.int32))

    def points(self, states: Sequence[KlaverjasState], thresholds: Sequence[int]) -> Levels:
        """Whether its card points and roem less the defenders' reach each number, without nat and pit."""
        targets = np.tile(np.array(thresholds, np.int32), (len(states), 1))
        return Levels([Question("difference")] * len(states), targets)


OUTCOMES = KlaverjasOutcomes()
