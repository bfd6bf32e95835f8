"""Games of players made of networks, one per lane: from the first decision to the last without Python.

Every game is played on until its next decision needs a network. There its row waits, and the networks that most rows
wait for are evaluated next, a block of rows at a time. A row's answer depends on the row alone and every seat has a
generator of its own, so that games do not depend on the lanes beside them.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skat_env._encoder import Encoder
from skat_env.protocols import Agent

class LanePlayer:
    """What the lanes ask of a player; the base class of those that games and agents make in Cython."""

    encoders: tuple[Encoder, ...]
    """The encoders whose rows its networks read, by question."""
    widths: tuple[int, ...]
    """Floats of an answer, by question."""
    draws: bool
    """Whether it draws random numbers."""

class Queue:
    """The rows that wait for the answers to one question of one player."""

class Lanes:
    """Some games, and what was decided in them.

    Args:
        states: the games, of one kind, at least one; they are changed.
        seated: int16 [games, seats]: the index of the player at each seat.
        agents: the agents.
        players: the agents as they play in lanes.
        rng_of: (number of the game, seat) -> the seat's generator, asked for once.
        stages: the game's stages.
        until: the number of stages to play; the games end before the next one.

    Raises:
        ValueError: if the games are of different kinds, or a seat has no player.
    """

    def __init__(
        self,
        states: list[Any],
        seated: NDArray[np.int16],
        agents: Sequence[Agent],
        players: Sequence[LanePlayer],
        rng_of: Callable[[int, int], np.random.Generator],
        stages: tuple[str, ...],
        until: int,
    ) -> None: ...
    def play(self) -> None:
        """Plays the games; may be called once.

        Raises:
            IllegalDecision: if an agent that is asked in Python chooses an illegal action.
        """

    def found(self) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.float64]]:
        """What was decided in all steps of all games, joined.

        Returns:
            The number of weights of each step, uint8 [steps], one per legal action or none; the weights in ascending
            order of the actions, float32; the values, float64 [steps], NaN where there is none.
        """

    def thinking(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """The number of decisions, int32 [games, seats], and the players' seconds of the processor, float64 [players].

        A player's seconds are those of its networks and of what it makes of their answers.
        """
