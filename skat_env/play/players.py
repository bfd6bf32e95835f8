"""Agents that play games: in lanes if all of them can, else in step."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skat_env.play._lanes import LanePlayer
from skat_env.play.decision_cache import DecisionCache
from skat_env.play.lanes import lane_players, play_in_lanes
from skat_env.play.lockstep import Thinking, play_games, require_states
from skat_env.protocols import Agent, Game, State

Seated = NDArray[np.int16]
"""int16 [games, seats], the index of the agent at each seat."""


Thought = Callable[[], list[tuple[Thinking, ...]]]
"""The thinking of some games, by game and seat. In lanes the seconds of an agent are shared evenly by its decisions."""


class Players:
    """Some agents, made ready with the first of the games that they play together.

    Args:
        game: the game.
        agents: the agents.
        in_lanes: whether games of networks alone are played in lanes; their decisions are the same.
    """

    def __init__(self, game: Game, agents: Sequence[Agent], in_lanes: bool = True) -> None:
        self._game, self._agents, self._in_lanes = game, list(agents), in_lanes

    @cached_property
    def _lanes(self) -> list[LanePlayer] | None:
        """The agents as they play in lanes; None if one of them cannot."""
        return lane_players(self._agents) if self._in_lanes else None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lanes"}

    def play(
        self,
        states: Sequence[State],
        rng_of: Callable[[int, int], np.random.Generator],
        seated: Seated | None = None,
        until: str | None = None,
        cache: DecisionCache | None = None,
    ) -> Thought:
        """Plays games to their end, or up to a stage; returns the thinking, for those who ask.

        Args:
            states: the games, one state each; they are changed.
            rng_of: (number of the game, seat) -> the seat's generator.
            seated: the index of the agent at each seat; None: the first agent has all seats.
            until: the stage before which games end; None: they are played to their end.
            cache: as in `play_games`, for games that are played in step.

        Raises:
            IllegalDecision: if an agent chooses an illegal action.
            ValueError: if a state is of another game, or there twice.
        """
        require_states(states, self._game.state)
        seats, stages = range(len(self._game.seats)), self._game.stages
        if seated is None:
            seated = np.zeros((len(states), len(seats)), np.int16)
        if self._lanes is not None:
            _, moves, seconds = play_in_lanes(
                states, self._agents, self._lanes, seated, rng_of, stages, until
            )
            each = seconds / np.maximum(np.bincount(seated.ravel(), moves.ravel(), len(seconds)), 1)
            return lambda: [
                tuple(map(Thinking, *game))
                for game in zip(moves.tolist(), (moves * each[seated]).tolist(), strict=True)
            ]
        before = stages if until is None else stages[: stages.index(until)]

        def reached(state: Any) -> bool:
            return state.is_over or state.stage not in before

        thinking = play_games(
            states,
            [[self._agents[agent] for agent in row] for row in seated.tolist()],
            [[rng_of(number, seat) for seat in seats] for number in range(len(states))],
            until=reached,
            cache=cache,
        )
        return lambda: thinking
