"""Agents at work beside the server: in threads, each agent asked by one at a time."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

import numpy as np

from agents.table.thoughts import think
from skat_env.play.capabilities import cheats, decide
from skat_env.protocols import Agent, Decision, Game, State, View
from skat_env.registry import make_agent
from skat_env.tools.extras import explained

try:
    from anyio import CapacityLimiter, to_thread
except ImportError as error:
    raise explained(error) from None

THREADS: Final = 4
"""Threads in which agents think; solvers and networks leave the lock of Python while they work."""

T = TypeVar("T")


class Movers:
    """The agents of all tables, each made once."""

    def __init__(self) -> None:
        self._agents: dict[tuple[str, str], tuple[Agent, threading.Lock]] = {}
        self._making = threading.Lock()
        self._limiter: CapacityLimiter | None = None

    def agent(self, game: str, spec: str) -> tuple[Agent, threading.Lock]:
        """An agent, and the lock that whoever asks it holds."""
        with self._making:
            if (game, spec) not in self._agents:
                self._agents[game, spec] = make_agent(spec, game), threading.Lock()
            return self._agents[game, spec]

    async def work(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls a function in a thread; whoever stops waiting leaves it to end by itself."""
        if self._limiter is None:
            self._limiter = CapacityLimiter(THREADS)
        return await to_thread.run_sync(function, *arguments, limiter=self._limiter, abandon_on_cancel=True)

    async def decide(self, game: str, spec: str, state: State, rng: np.random.Generator) -> Decision:
        """An agent's decision for the seat to act; the state is not changed and must not change meanwhile."""
        return await self.work(self._decide, game, spec, state, rng)

    def _decide(self, game: str, spec: str, state: State, rng: np.random.Generator) -> Decision:
        agent, lock = self.agent(game, spec)
        with lock:
            return decide(agent, state.view(state.to_act), state, rng)

    async def advise(self, game: str, spec: str, view: View) -> Decision:
        """What an agent would do in a person's place; the same each time."""
        return await self.work(self._advise, game, spec, view)

    def _advise(self, game: str, spec: str, view: View) -> Decision:
        agent, lock = self.agent(game, spec)
        if cheats(agent):
            raise ValueError(f"the agent '{spec}' needs the true cards: it gives no hints")
        with lock:
            return agent.decide(view, np.random.default_rng(view.key()))

    async def thoughts(
        self,
        game: Game,
        spec: str,
        view: View,
        decision: Decision | None = None,
        course: Sequence[Mapping[str, Any]] = (),
    ) -> dict[str, Any]:
        """What an agent thinks of a view whose seat is to act; see `thoughts.think`."""
        return await self.work(self._thoughts, game, spec, view, decision, course)

    def _thoughts(
        self,
        game: Game,
        spec: str,
        view: View,
        decision: Decision | None,
        course: Sequence[Mapping[str, Any]],
    ) -> dict[str, Any]:
        agent, lock = self.agent(game.name, spec)
        with lock:
            return think(game, view, agent, decision=decision, course=course)
