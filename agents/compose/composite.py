"""Agents that delegate every decision to one of their parts."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from skat_env.play.capabilities import (
    cheats,
    decide,
    decide_by_part,
    decide_many,
    is_batched,
    listens,
    remembers,
)
from skat_env.protocols import Agent, Decision, State, View


class Composite(ABC):
    """Delegates every decision to a part. It is batched, cheats or remembers if one of its parts does."""

    def __init__(self, name: str, parts: Sequence[Agent]) -> None:
        self.name = name
        self._listening = [part for part in {id(part): part for part in parts}.values() if listens(part)]
        self.cheats = any(map(cheats, parts))
        self.batched = any(map(is_batched, parts))
        self.remembers = any(map(remembers, parts))

    @abstractmethod
    def part(self, view: View) -> Agent:
        """The part that decides at this view."""

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        """The decision of `part(view)`."""
        return self.part(view).decide(view, rng)

    def decide_knowing(self, view: View, state: State, rng: np.random.Generator) -> Decision:
        """The decision of `part(view)`, which sees the true state if it cheats."""
        return decide(self.part(view), view, state, rng)

    def decide_many(self, views: Sequence[View], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The decisions for many views; each part is called once with all of its own."""
        parts = [self.part(view) for view in views]
        agents = {id(part): part for part in parts}
        return decide_by_part(
            [id(part) for part in parts], views, rngs, lambda part, *asked: decide_many(agents[part], *asked)
        )

    def hear_end(self, view: View, returns: Sequence[float]) -> None:
        """Tells the parts that listen how a game has ended."""
        for part in self._listening:
            part.hear_end(view, returns)
