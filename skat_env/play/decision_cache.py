"""A cache of decisions for games that begin alike, as the games of one deal in a match do."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from skat_env.protocols import Agent, Decision, State, View

Timed = tuple[Decision, float]
"""A decision and the seconds it took."""


class DecisionCache:
    """Decisions by everything they depend on: the agent, what it sees, and the state of its generator.

    A cached decision sets the generator to its state after the first time, so that the game continues as if the agent
    had been asked again. Nobody else may draw from a generator that was given to the cache: its state is read once, and
    after each decision that is made.
    """

    def __init__(self) -> None:
        self._taken: dict[Hashable, tuple[Timed, _Luck | None]] = {}
        self._luck: dict[int, tuple[np.random.Generator, _Luck]] = {}

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
        keys = [self._key(agent, *each) for each in zip(views, shown, rngs, strict=True)]
        first: dict[Hashable, int] = {}
        for number, key in enumerate(keys):
            if key not in self._taken:
                first.setdefault(key, number)
        new = list(first.values())
        for number, timed in zip(new, ask(new) if new else [], strict=True):
            self._keep(keys[number], timed, rngs[number])
        return [self._reuse(self._taken[key], rng) for key, rng in zip(keys, rngs, strict=True)]

    def single(
        self,
        agent: Agent,
        view: View,
        shown: State | None,
        rng: np.random.Generator,
        ask: Callable[[], Timed],
    ) -> Timed:
        """An agent's decision for one view; the arguments as above."""
        key = self._key(agent, view, shown, rng)
        taken = self._taken.get(key)
        if taken is not None:
            return self._reuse(taken, rng)
        timed = ask()
        self._keep(key, timed, rng)
        return timed

    def _key(self, agent: Agent, view: View, shown: State | None, rng: np.random.Generator) -> Hashable:
        return id(agent), view, shown and shown.text(), self._luck_of(rng).text

    def _keep(self, key: Hashable, timed: Timed, rng: np.random.Generator) -> None:
        """Keeps a decision that was made, and what it drew from the generator."""
        state = rng.bit_generator.state
        drew = state != self._luck_of(rng).state
        luck = _Luck.of(state) if drew else None
        self._taken[key] = timed, luck
        if luck is not None:
            self._luck[id(rng)] = rng, luck

    def _reuse(self, taken: tuple[Timed, "_Luck | None"], rng: np.random.Generator) -> Timed:
        """A decision that was kept; the generator is left as the decision left it."""
        timed, luck = taken
        if luck is not None and self._luck_of(rng) is not luck:
            rng.bit_generator.state = luck.state
            self._luck[id(rng)] = rng, luck
        return timed

    def _luck_of(self, rng: np.random.Generator) -> "_Luck":
        """The state of a generator as far as is known."""
        known = self._luck.get(id(rng))
        if known is None:
            known = self._luck[id(rng)] = rng, _Luck.of(rng.bit_generator.state)
        return known[1]


class _Luck(NamedTuple):
    """The state of a generator."""

    text: str
    state: Mapping[str, Any]

    @staticmethod
    def of(state: Mapping[str, Any]) -> "_Luck":
        return _Luck(repr(state), state)
