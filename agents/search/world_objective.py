"""Objective of PIMC by values of real play: what each world is worth once an action has been played in it."""

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.networks.world_values import WorldValues
from skat_env.protocols import State


class WorldWorth:
    """The expected result of the own side less that of the other side, with play as in the games learnt from.

    Args:
        game: the game's name.
        checkpoint: the network, by name or path; None: the one that ships.
    """

    name = "world_values"

    def __init__(self, game: str, checkpoint: str | None = None) -> None:
        self._network = WorldValues(game, checkpoint)

    def values(self, states: list[State], actions: list[int]) -> NDArray[np.float64]:
        """The worth of each action in each world for the side to act, float64 [worlds, actions]."""
        after = []
        for state in states:
            for action in actions:
                after.append(state.clone())
                after[-1].apply(action)
        own = self._network.worths(after).reshape(len(states), len(actions))
        return own if states[0].side(states[0].to_act) == 0 else -own

    def tie_values(self, states: list[State], actions: list[int]) -> NDArray[np.float64]:
        """Zeros: ties are not broken."""
        return np.zeros((len(states), len(actions)))
