"""Games and some of their decisions in few bytes: what travels from those who play to the learner."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.learners.experience._actors import pack, unpack
from skat_env.protocols import Game


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """Finished games."""

    packed: NDArray[np.uint8]
    """uint8 [games, bytes]: the structs of the states at the end."""
    game: NDArray[np.int32]
    """int32 [decisions]: the game of each decision, in the order in which they were made."""
    step: NDArray[np.int16]
    """int16 [decisions]: the cards that were played before it."""

    @classmethod
    def of(cls, states: Sequence[Any], decisions: Sequence[tuple[int, int]]) -> Self:
        """From the states at the end, and the game and step of each decision."""
        game, step = np.array(decisions, np.int32).reshape(-1, 2).T
        return cls(pack(list(states)), game, step.astype(np.int16))

    def states(self, game: Game) -> list[Any]:
        """The states at the end."""
        prototype = game.state.random(np.random.default_rng(0))
        return [unpack(prototype, each) for each in self.packed]

    def positions(self, game: Game) -> list[Any]:
        """The states before the decisions."""
        found: list[Any] = [None] * len(self.game)
        latest_first = np.lexsort((-self.step.astype(np.int64), self.game))
        states = self.states(game)
        for row in latest_first:
            state = states[self.game[row]]
            while len(state.plays()) > self.step[row]:
                state.undo()
            found[row] = state.clone()
        return found
