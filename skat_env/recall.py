"""What agents decided, for games of which many begin alike, as those of a deal in a match do."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from skat_env.protocols import Agent, Decision, State, View

Timed = tuple[Decision, float]
"""A decision and the seconds that it took."""


class Recall:
    """Decisions by all that they depend on: the agent, what it sees, and the state of its generator.

    One that is recalled leaves the generator as it did the first time, so that a game goes on as if it had been taken
    again.
    """

    def __init__(self) -> None:
        self._taken: dict[Hashable, tuple[Timed, Mapping[str, Any]]] = {}

    def key(self, agent: Agent, view: View, shown: State | None, rng: np.random.Generator) -> Hashable:
        """What a decision depends on; `shown` is the state for an agent that cheats."""
        return id(agent), view, shown and shown.text(), repr(rng.bit_generator.state)

    def take(self, key: Hashable, rng: np.random.Generator) -> Timed | None:
        """The decision that was kept; None if there is none."""
        if (found := self._taken.get(key)) is None:
            return None
        timed, rng.bit_generator.state = found
        return timed

    def keep(self, key: Hashable, rng: np.random.Generator, timed: Timed) -> None:
        """Keeps a decision that has just been taken."""
        self._taken[key] = timed, rng.bit_generator.state
