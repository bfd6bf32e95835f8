"""Objectives of PIMC in Klaverjas: to make the game, or a large difference, with open cards."""

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.search.objectives import played_objectives
from skat_env.klaverjas import KlaverjasState
from skat_env.solvers.klaverjas import Aim, Question, Solver

Values = NDArray[np.float64]


class Difference:
    """Card points and roem of the mover's team less the other team's, without nat and pit. Ties are not broken."""

    name = "difference"
    aim: Aim = "difference"

    def __init__(self, threads: int = 1) -> None:
        self._solver = Solver()
        self._threads = threads

    def values(self, states: list[KlaverjasState], actions: list[int]) -> Values:
        """The solver's value of the aim after each action, for the mover's team, float64 [worlds, actions]."""
        return self._values(states, actions, self.aim)

    def tie_values(self, states: list[KlaverjasState], actions: list[int]) -> Values:
        """Zeros: ties are not broken."""
        return np.zeros((len(states), len(actions)))

    def _values(self, states: list[KlaverjasState], actions: list[int], aim: Aim) -> Values:
        least = self._solver.action_values(states, actions, Question(aim), self._threads)
        values = least.astype(np.float64)
        return values if states[0].side(states[0].to_act) == 0 else -values


class FinalDifference(Difference):
    """The final score of the mover's team less the other team's. Ties are not broken."""

    name = "final_difference"
    unit = "score"
    aim: Aim = "final_difference"


class Made(Difference):
    """1 if the game is made, 0 if the declarers are nat; negated for defenders. Ties are broken by the difference."""

    name = "made"
    aim: Aim = "made"

    def tie_values(self, states: list[KlaverjasState], actions: list[int]) -> Values:
        """The difference after each action, for the mover's team."""
        return self._values(states, actions, "difference")


OBJECTIVES = {
    **{kind.name: kind for kind in (Made, Difference, FinalDifference)},
    **played_objectives("klaverjas"),
}
