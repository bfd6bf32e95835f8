"""Agents at work beside the server: in threads, each agent asked by one at a time."""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import numpy as np

from skat_env.play.capabilities import cheats, decide
from skat_env.protocols import Agent, Decision, Game, State, View
from skat_env.registry import get_game, make_agent
from skat_env.rule_options import parse_rules
from skat_env.table.thoughts import think
from skat_env.table.workers import TIME_LIMIT, Workers

THREADS: Final = 4
"""Threads in which agents think; solvers and networks leave the lock of Python while they work."""
MAX_AGENTS: Final = 64
"""How many agents are kept. A limit, as anybody who reaches the page may name any number."""
MAX_DEALS: Final = 10
"""The deals in which a position of each stage is looked for; few are passed by all, and some rules skip a stage."""

T = TypeVar("T")


class CannotBeMade(ValueError):
    """There is no such agent, or it cannot be made; what it says was known before any card was seen."""


@dataclass(eq=False, slots=True)
class _Kept:
    """An agent that is kept."""

    agent: Agent | None = None
    """None: it is made when it is first asked."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held while somebody asks it, so that those who wait for it take no thread."""
    users: int = 0
    """Those who ask it or wait for it."""


class Movers:
    """The agents of all tables.

    Each is made once and kept for the next table, up to `most` of them; then the one goes that was not asked for the
    longest time, and is made again when it is next asked. One that is being asked stays.

    Args:
        time_limit: the seconds that one decision may take.
        most: the agents that are kept.
    """

    def __init__(self, time_limit: float = TIME_LIMIT, most: int = MAX_AGENTS) -> None:
        self._workers = Workers(THREADS, time_limit)
        self._most = most
        self._agents: OrderedDict[tuple[str, str], _Kept] = OrderedDict()

    async def work(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls a function in a thread; see `Workers.work`."""
        return await self._workers.work(function, *arguments)

    def close(self) -> None:
        """Ends the threads."""
        self._workers.close()

    async def _ask(self, game: str, spec: str, ask: Callable[[Agent], T]) -> T:
        """Calls a function with an agent in a thread.

        An agent that does not come back is dropped: those who wait for it ask a new one.
        """
        key = game, spec
        while True:
            kept = self._agents.setdefault(key, _Kept())
            self._agents.move_to_end(key)
            kept.users += 1
            try:
                async with kept.lock:
                    if self._agents.get(key) is kept:
                        return await self._asked(key, kept, ask)
            finally:
                kept.users -= 1
                self._forget()

    async def _asked(self, key: tuple[str, str], kept: _Kept, ask: Callable[[Agent], T]) -> T:
        game, spec = key
        is_back = False

        def call() -> T:
            nonlocal is_back
            try:
                if kept.agent is None:
                    kept.agent = _made(spec, game)
                return ask(kept.agent)
            finally:
                is_back = True

        try:
            return await self.work(call)
        finally:
            if not is_back:
                del self._agents[key]

    def _forget(self) -> None:
        """Forgets the agents that were not asked for the longest time, if there are too many."""
        idle = [key for key, kept in self._agents.items() if not kept.users]
        for key in idle[: max(0, len(self._agents) - self._most)]:
            del self._agents[key]

    async def decide(self, game: str, spec: str, state: State, rng: np.random.Generator) -> Decision:
        """An agent's decision for the seat to act; the state is not changed and must not change meanwhile."""

        def ask(agent: Agent) -> Decision:
            return decide(agent, state.view(state.to_act), state, rng)

        return await self._ask(game, spec, ask)

    async def warm(self, game: str, spec: str, rules: str = "") -> None:
        """Makes an agent and asks it once in each stage of a game that nobody plays, so that it has loaded what it
        needs. What it cannot do is said when it is asked at a table.

        Args:
            game: the name of the game.
            spec: the agent.
            rules: the rule options of the table.
        """
        views: list[View] = []
        with contextlib.suppress(Exception):
            views = await self.work(_views, get_game(game), rules)
        for view in views:

            def ask(agent: Agent, view: View = view) -> None:
                if not cheats(agent):
                    agent.decide(view, np.random.default_rng(0))

            with contextlib.suppress(Exception):
                await self._ask(game, spec, ask)

    async def advise(self, game: str, spec: str, view: View) -> Decision:
        """What an agent would do in a person's place; the same each time."""

        def ask(agent: Agent) -> Decision:
            if cheats(agent):
                raise ValueError(f"the agent '{spec}' needs the true cards: it gives no hints")
            return agent.decide(view, np.random.default_rng(view.key()))

        return await self._ask(game, spec, ask)

    async def thoughts(
        self,
        game: Game,
        spec: str,
        view: View,
        decision: Decision | None = None,
        course: Sequence[Mapping[str, Any]] = (),
    ) -> dict[str, Any]:
        """What an agent thinks of a view whose seat is to act; see `thoughts.think`."""

        def ask(agent: Agent) -> dict[str, Any]:
            return think(game, view, agent, decision=decision, course=course)

        return await self._ask(game.name, spec, ask)


def reason_of(error: Exception) -> str:
    """What an error says, in one line."""
    return " ".join(str(error).split()) or type(error).__name__


def _made(spec: str, game: str) -> Agent:
    """An agent.

    Raises:
        CannotBeMade: if it cannot be made.
    """
    try:
        return make_agent(spec, game)
    except Exception as error:
        raise CannotBeMade(reason_of(error)) from error


def _views(game: Game, rules: str) -> list[View]:
    """A view in each stage of a game that some deals by these rules reach."""
    found: dict[str, View] = {}
    rng = np.random.default_rng(0)
    agent, options = make_agent("rule", game.name), parse_rules(rules, game)
    for _ in range(MAX_DEALS):
        state = game.state.random(rng, options)
        while not state.is_over:
            view = state.view(state.to_act)
            found.setdefault(view.stage, view)
            if view.stage == game.stages[-1]:
                break
            state.apply(agent.decide(view, rng).action)
        if len(found) == len(game.stages):
            break
    return [found[stage] for stage in game.stages if stage in found]
