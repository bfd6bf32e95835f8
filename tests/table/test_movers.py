"""The agents of the tables: how many are kept, and what becomes of those that do not come back."""

import asyncio
import threading
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="needs the extra 'table'")

from skat_env import registry
from skat_env.protocols import Decision
from skat_env.registry import AGENT_GROUP, get_game
from skat_env.table import movers as module
from skat_env.table.movers import THREADS, Movers
from skat_env.table.workers import TooLong, Workers

made: list[str] = []


class Counted:
    """An agent that counts how often it is made."""

    def __init__(self, number: int = 0) -> None:
        self.name = f"counted{number}"
        made.append(self.name)

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        return Decision(int(view.legal_actions()[0]))


class Asleep:
    """An agent that does not come back until the test ends."""

    name = "asleep"
    until = threading.Event()

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        self.until.wait(60)
        return Decision(int(view.legal_actions()[0]))


class SleepsOnce(Asleep):
    """An agent of which only the first does not come back."""

    name = "sleeps_once"
    slept = False

    def decide(self, view: Any, rng: np.random.Generator) -> Decision:
        if not SleepsOnce.slept:
            SleepsOnce.slept = True
            return super().decide(view, rng)
        return Decision(int(view.legal_actions()[0]))


@pytest.fixture(autouse=True)
def agents(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, agent in {"counted": Counted, "asleep": Asleep, "sleeps_once": SleepsOnce}.items():
        monkeypatch.setitem(registry._registered, (AGENT_GROUP, f"skat.{name}"), agent)
    monkeypatch.setattr(SleepsOnce, "slept", False)
    made.clear()
    Asleep.until.clear()
    yield
    Asleep.until.set()


def run(play: Coroutine[Any, Any, None]) -> None:
    """Runs to the end in a thread of its own: in this one the browser of other tests may have left its event loop."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, play).result()


def asked(movers: Movers, spec: str) -> Any:
    state = get_game("skat").state.random(np.random.default_rng(0))
    return movers.decide("skat", spec, state, np.random.default_rng(0))


async def counted(movers: Movers, *numbers: int) -> list[str]:
    """Asks agents in turn; those that were made."""
    before = len(made)
    for number in numbers:
        await asked(movers, f"counted(number={number})")
    return made[before:]


def test_the_least_recently_asked_agents_are_forgotten() -> None:
    async def play() -> None:
        movers = Movers(most=3)
        assert await counted(movers, 0, 1, 2) == ["counted0", "counted1", "counted2"]
        assert await counted(movers, 2, 1, 0) == []
        assert await counted(movers, *range(3, 20), 19, 18, 17) == [f"counted{n}" for n in range(3, 20)]
        assert await counted(movers, 0) == ["counted0"]
        movers.close()

    run(play())


def test_an_agent_that_is_being_asked_is_kept() -> None:
    async def play() -> None:
        movers = Movers(most=2)
        first = asyncio.create_task(asked(movers, "asleep"))
        await counted(movers, 0, 1, 2, 3)
        second = asyncio.create_task(asked(movers, "asleep"))
        await asyncio.sleep(0)
        assert await counted(movers, 3) == []
        Asleep.until.set()
        assert (await first).action == (await second).action
        movers.close()

    run(play())


def test_agents_that_do_not_come_back_stop_nobody() -> None:
    async def play() -> None:
        movers = Movers(time_limit=0.5)
        for _ in range(2):
            stuck = [asked(movers, "asleep") for _ in range(THREADS + 1)]
            others = [asked(movers, f"counted(number={number})") for number in range(20)]
            found = await asyncio.gather(*stuck, *others, return_exceptions=True)
            assert {type(each) for each in found[: len(stuck)]} == {TooLong}
            assert {type(each) for each in found[len(stuck) :]} == {Decision}
        Asleep.until.set()
        movers.close()

    run(play())


def test_whoever_waits_for_a_stuck_agent_asks_a_new_one() -> None:
    async def play() -> None:
        movers = Movers(time_limit=0.5)
        first, *others = await asyncio.gather(
            *(asked(movers, "sleeps_once") for _ in range(5)), return_exceptions=True
        )
        assert str(first) == "it took longer than 0.5 seconds"
        assert {type(each) for each in others} == {Decision}
        Asleep.until.set()
        movers.close()

    run(play())


def test_agents_of_a_game_without_rule_are_not_warmed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "make_agent", None)

    async def play() -> None:
        movers = Movers()
        await movers.warm("skat", "counted")
        movers.close()

    run(play())
    assert made == []


def test_threads_are_used_again_and_end() -> None:
    async def play() -> None:
        workers = Workers(2)
        before = threading.active_count()
        names = await asyncio.gather(*(workers.work(threading.get_ident) for _ in range(20)))
        assert len(set(names)) <= 2
        with pytest.raises(ZeroDivisionError):
            await workers.work(lambda: 1 // 0)
        waiting = asyncio.create_task(workers.work(time.sleep, 0.1))
        await asyncio.sleep(0.01)
        waiting.cancel()
        assert await workers.work(int, "7") == 7
        workers.close()
        assert threading.active_count() == before

    run(play())
