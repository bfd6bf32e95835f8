"""Agents that hand every decision on to one of their parts."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from skat_env.play.capabilities import cheats, decide, decide_by_part, decide_many, is_batched, remembers
from skat_env.protocols import Agent, Decision, State, View


class Composite(ABC):
    """Decides by its parts; of a part that decides in batches, cheats or remembers, it does so too."""

    def __init__(self, name: str, parts: Sequence[Agent]) -> None:
        self.name = name
        self.cheats = any(map(cheats, parts))
        self.batched = any(map(is_batched, parts))
        self.remembers = any(map(remembers, parts))

    @abstractmethod
    def part(self, view: View) -> Agent:
        """The part whose decision it is."""

    def decide(self, view: View, rng: np.random.Generator) -> Decision:
        """The decision of the part whose it is."""
        return self.part(view).decide(view, rng)

    def decide_knowing(self, view: View, state: State, rng: np.random.Generator) -> Decision:
        """The same, with the true state for a part that cheats."""
        return decide(self.part(view), view, state, rng)

    def decide_many(self, views: Sequence[View], rngs: Sequence[np.random.Generator]) -> list[Decision]:
        """The decisions of the parts, each asked once for all its views."""
        parts = [self.part(view) for view in views]
        agents = {id(part): part for part in parts}
        return decide_by_part(
            [id(part) for part in parts], views, rngs, lambda part, *asked: decide_many(agents[part], *asked)
        )
