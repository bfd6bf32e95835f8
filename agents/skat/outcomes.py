"""Outcomes in Skat: whether the soloist wins, or reaches some card points."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from skat_env.agents.search.outcomes.outcomes import Levels
from skat_env.skat import SkatState
from skat_env.skat.rules import Contract
from skat_env.solvers._followed import FollowedWorlds
from skat_env.solvers.skat import Question, Solver
from skat_env.solvers.skat.winning import winning_question

NEVER: Final = 121
"""A target that cannot be reached."""


class SkatOutcomes:
    """The outcomes of Skat; null games are won or lost, whatever the thresholds."""

    lowest = 1
    highest = 120
    counted = "card points"

    def followed(self) -> FollowedWorlds:
        """Worlds for the open-card solver."""
        return Solver().followed()

    def win(self, states: Sequence[SkatState]) -> Levels:
        """Whether the soloist wins; what it must reach may depend on the world, by its matadors."""
        null = states[0].contract == Contract.NULL
        questions = [winning_question(state) for state in states]
        # An overbid null game is lost with or without a trick.
        never = 0 if null else NEVER
        targets = [never if question is None else question.target for question in questions]
        return Levels(
            [Question() if question is None else question for question in questions],
            np.array(targets, np.int32)[:, None],
            wanted=not null,
        )

    def points(self, states: Sequence[SkatState], thresholds: Sequence[int]) -> Levels:
        """Whether the soloist reaches each number of card points, the skat's included."""
        if states[0].contract == Contract.NULL:
            return self.win(states)
        return Levels([Question()] * len(states), np.tile(np.array(thresholds, np.int32), (len(states), 1)))


OUTCOMES = SkatOutcomes()
