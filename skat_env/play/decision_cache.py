"""A cache of decisions for games that begin alike, as the games of one deal in a match do."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from skat_env.protocols import Agent, Decision, State, View

Timed = tuple[Decision, float]
"""A decision and the seconds it took."""


class DecisionCache:
    """Decisions by everything they depend on: the agent, what it sees, and the state of its generator.

    A cached decision sets the generator to its state after the first time, so that the game continues as if the agent
    had been asked again.
    """

    def __init__(self) -> None:
        self._taken: dict[Hashable, tuple[Timed, Mapping[str, Any]]] = {}

    def __call__(
        self,
        agent: Agent,
        views: Sequence[View],
        shown: Sequence[State | None],
        rngs: Sequence[np.random.Generator],
        ask: Callable[[list[int]], list[Timed]],
    ) -> list[Timed]:
        """An agent's decisions for some views, each with its own generator.

        Args:
            agent: the agent.
            views: what it sees.
            shown: the true state of each view, for an agent that cheats.
            rngs: a generator for each view.
            ask: (indices of views) -> the decisions for them; called at most once, for the views not in the cache.
        """
        keys = [
            (id(agent), view, state and state.text(), repr(rng.bit_generator.state))
            for view, state, rng in zip(views, shown, rngs, strict=True)
        ]
        first: dict[Hashable, int] = {}
        for number, key in enumerate(keys):
            if key not in self._taken:
                first.setdefault(key, number)
        new = list(first.values())
        for number, timed in zip(new, ask(new) if new else [], strict=True):
            self._taken[keys[number]] = timed, rngs[number].bit_generator.state
        decisions = []
        for key, rng in zip(keys, rngs, strict=True):
            timed, rng.bit_generator.state = self._taken[key]
            decisions.append(timed)
        return decisions
