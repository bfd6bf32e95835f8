"""Objective of PIMC by values of real play: what each world is worth once an action has been played in it."""

import numpy as np
from numpy.typing import NDArray

from agents.networks.world_values import WorldValues
from skat_env.protocols import State
from skat_env.registry import get_game


class WorldWorth:
    """The expected result of the own side less that of the other side, with play as in the games learnt from.

    Args:
        game: the game's name.
        checkpoint: the network, by name or path; None: the one that ships.
    """

    name = "world_values"

    def __init__(self, game: str, checkpoint: str | None = None) -> None:
        self._network = WorldValues(game, checkpoint)
        self._unit = get_game(game).match_unit

    def values(self, states: list[State], actions: list[int]) -> NDArray[np.float64]:
        """The worth of each action in each world for the side to act, float64 [worlds, actions]."""
        values = np.empty(len(states) * len(actions))
        open_, numbers = [], []
        for number, (state, action) in enumerate((s, a) for s in states for a in actions):
            after = state.clone()
            after.apply(action)
            # The network values positions with a choice.
            while not after.is_over and after.legal().bit_count() == 1:
                after.apply(after.legal_actions()[0])
            if after.is_over:
                values[number] = self._network.worth(after)
            else:
                open_.append(after)
                numbers.append(number)
        if open_:
            values[numbers] = self._network.values(open_)[0]
        own = values.reshape(len(states), len(actions))
        return own if states[0].side(states[0].to_act) == 0 else -own

    def tie_values(self, states: list[State], actions: list[int]) -> NDArray[np.float64]:
        """Zeros: ties are not broken."""
        return np.zeros((len(states), len(actions)))
