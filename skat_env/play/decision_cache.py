"""A cache of decisions, for games of which many begin alike, as those of a deal in a match do."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from skat_env.protocols import Agent, Decision, State, View

Timed = tuple[Decision, float]
"""A decision and the seconds that it took."""


class DecisionCache:
    """Decisions by all that they depend on: the agent, what it sees, and the state of its generator.

    A decision from the cache leaves the generator as it was after the first time, so that the game goes on as if the
    agent had been asked again.
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
        """The decisions of an agent for some views, each with its own generator.

        Args:
            agent: whose they are.
            views: what it sees.
            shown: by view, the state that an agent that cheats is shown.
            rngs: by view.
            ask: (numbers of views) -> the decisions for them; is asked once at most, for what is not known yet.
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
