"""Worlds played out by an agent that sees in each seat what the seat sees."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from skat_env.play.lockstep import require_states
from skat_env.play.players import Players, Seated
from skat_env.play.worth import own_results
from skat_env.protocols import Agent, State
from skat_env.registry import get_game, make_agent


class Rollouts:
    """Plays worlds on after an action; an objective of PIMC too.

    The worth of a finished game is that to the own side (`skat_env.play.worth`).

    Args:
        inner: the agent that plays all seats, or its name; networks play many worlds at once.
        game: the game's name.
        others: agents that can play seats in its place.
    """

    name = "rollouts"

    def __init__(self, inner: str | Agent, game: str, others: Sequence[Agent] = ()) -> None:
        self.inner = make_agent(inner, game)
        self._game = get_game(game)
        self._players = Players(self._game, [self.inner, *others])

    def results(
        self,
        states: Sequence[State],
        actions: Sequence[int],
        salt: int,
        first: int = 0,
        seated: Seated | None = None,
    ) -> NDArray[np.float64]:
        """What each world brings the side to act after each action, float64 [worlds, actions].

        Args:
            states: the worlds.
            actions: legal ones.
            salt: of the inner agent's luck, which depends on the number of the world and the seat alone.
            first: the number of the first world.
            seated: who plays each seat of each world: 0 the inner agent, 1 the first of the others, and so on; None:
                the inner agent plays all.

        Raises:
            ValueError: if there is no world, or one is no state of the game.
            IllegalAction: if an action is not legal in a world.
        """
        require_states(states, self._game.state, changes=False)
        if not states:
            raise ValueError("rollouts of no world: expected one at least")
        games: list[State] = []
        for state in states:
            for action in actions:
                game = state.clone()
                game.apply(action)
                games.append(game)

        def rng_of(number: int, seat: int) -> np.random.Generator:
            return np.random.default_rng([salt, first + number // len(actions), seat])

        self._players.play(games, rng_of, None if seated is None else np.repeat(seated, len(actions), axis=0))
        return own_results(self._game, games, states[0].to_act).reshape(len(states), len(actions))

    def play(self, games: Sequence[State], rng_of: Callable[[int, int], np.random.Generator]) -> None:
        """Plays games, which are changed, to their end.

        Args:
            games: states at any point of a game.
            rng_of: the inner agent's generator for a game's number and a seat.
        """
        self._players.play(games, rng_of)

    def values(self, states: list[State], actions: list[int]) -> NDArray[np.float64]:
        """As `results`, with the same luck every time."""
        return self.results(states, actions, 0)

    def tie_values(self, states: list[State], actions: list[int]) -> NDArray[np.float64]:
        """Zeros: ties are not broken."""
        return np.zeros((len(states), len(actions)))
