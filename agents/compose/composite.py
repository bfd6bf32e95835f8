"""Agents that leave decisions to others: some of them, or all."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from skat_env.play.capabilities import Abilities, decide, decide_by_part, decide_many, listens
from skat_env.protocols import Agent, Decision, State, View


class Delegating:
    """Leaves some of its decisions to other agents; its abilities are its own and theirs, and they hear games end."""

    cheats: bool
    batched: bool
    remembers: bool
    draws: bool
    listens: bool

    def delegate_to(self, *others: Agent, own: Abilities | None = None) -> None:
        """Takes the abilities of the agents to whom decisions are left.

        Args:
            others: these agents.
            own: the abilities for the other decisions; None: there are none.
        """
        found = Abilities.joined(others)
        if own is not None:
            found = replace(
                found,
                cheats=found.cheats or own.cheats,
                batched=found.batched or own.batched,
                remembers=found.remembers or own.remembers,
                draws=own.draws,
            )
        self.cheats, self.batched = found.cheats, found.batched
        self.remembers, self.draws, self.listens = found.remembers, found.draws, found.listens
        self._listening = [each for each in {id(other): other for other in others}.values() if listens(each)]

    def hear_end(self, view: View, returns: Sequence[float]) -> None:
        """Tells the agents that listen how a game has ended."""
        for each in self._listening:
            each.hear_end(view, returns)


class Composite(Delegating, ABC):
    """Leaves every decision to one of its parts."""

    def __init__(self, name: str, parts: Sequence[Agent]) -> None:
        self.name = name
        self.delegate_to(*parts)

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
