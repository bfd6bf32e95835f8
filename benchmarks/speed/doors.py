"""What a step costs at each door: words and structs of a decision, and a move over the loopback.

python -m benchmarks.speed.doors [--games 5] [--out FILE.json]

A step ends when the player knows its next turn, after `rule` has played the other seats. Servers are processes of their
own; a first game, in which they load agents, is not counted. Text, structs and sessions are CPU time; steps are wall
time, and beside it the CPU time of both sides. What the libraries cost by themselves is the time of their emptiest
call: a ping of MCP, a question for the state of OpenEnv.
"""

import asyncio
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import Kept, cpu_seconds, keep, print_table, run_benchmark
from skat_env.doors.openenv.client import CardEnv
from skat_env.doors.openenv.models import CardAction
from skat_env.doors.session import Session
from skat_env.options import Count
from skat_env.structs import write_position
from skat_env.text import describe, parse_reply

PORT = 8765
Step = Callable[[str], Awaitable[list[str]]]
"""Plays a move; the legal moves of the next turn, none at the end."""
Start = Callable[[], Awaitable[list[str]]]
Empty = Callable[[], Awaitable[object]]


@dataclass
class Options(Kept):
    """What a step costs at each door."""

    games: Count = 5
    """Games of each door."""


@dataclass(frozen=True)
class Figures:
    """A door."""

    door: str
    steps: int
    median: float
    """Milliseconds."""
    slowest: float
    """The same of 99 in 100 steps."""
    cpu: float
    """Milliseconds of processors that a step takes, of client and server together."""


def figures(door: str, seconds: list[float], cpu: float | None = None) -> Figures:
    """The figures of steps; the CPU time of all of them, if it is not that of each."""
    ordered = sorted(seconds)
    slowest = ordered[int(0.99 * (len(ordered) - 1))]
    each = 1e3 * (sum(seconds) if cpu is None else cpu) / len(seconds)
    return Figures(door, len(seconds), 1e3 * statistics.median(seconds), 1e3 * slowest, each)


async def timed(
    step: Step, legal: list[str], seconds: list[float], clock: Callable[[], float] = time.perf_counter
) -> None:
    """Plays a game to its end, always the first move."""
    while legal:
        started = clock()
        legal = await step(f"[{legal[0]}]")
        seconds.append(clock() - started)


async def in_process(games: int) -> list[float]:
    """The steps of sessions without any door."""
    seconds: list[float] = []
    for seed in range(games):
        session = Session(seed=seed)

        async def step(reply: str, session: Session = session) -> list[str]:
            session.play(reply)
            return session.legal()

        await timed(step, session.legal(), seconds, time.process_time)
    return seconds


def moves(told: str) -> list[str]:
    """The legal moves that a text lists."""
    listed = told.rpartition("Legal moves: ")[2] if "Legal moves: " in told else ""
    return [move for move in listed.strip("[]").split("] [") if move]


async def measured(
    door: str, server: int, games: int, start: Start, step: Step, empty: Empty
) -> list[Figures]:
    """The figures of games at a door, and of its emptiest call.

    Args:
        door: its name.
        server: the process that serves.
        games: how many are counted.
        start: begins a game; its first legal moves.
        step: plays a move.
        empty: the call.
    """
    await timed(step, await start(), [])
    seconds: list[float] = []
    before = both_sides(server)
    for _ in range(games):
        await timed(step, await start(), seconds)
    rows = [figures(door, seconds, both_sides(server) - before)]
    calls: list[float] = []
    before = both_sides(server)
    for _ in seconds:
        started = time.perf_counter()
        await empty()
        calls.append(time.perf_counter() - started)
    return [*rows, figures(f"{door}, empty", calls, both_sides(server) - before)]


async def over_mcp(games: int, address: str, server: int) -> list[Figures]:
    """Games over MCP."""
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async with (
        streamable_http_client(f"{address}/mcp") as (reads, writes, _),
        ClientSession(reads, writes) as client,
    ):
        await client.initialize()

        async def call(tool: str, **arguments: Any) -> list[str]:
            return moves(str(getattr((await client.call_tool(tool, arguments)).content[0], "text", "")))

        async def step(reply: str) -> list[str]:
            return await call("play", move=reply)

        return await measured("MCP", server, games, partial(call, "start_game"), step, client.send_ping)


async def over_openenv(games: int, address: str, server: int) -> list[Figures]:
    """Games over OpenEnv."""
    async with CardEnv(base_url=address) as client:

        async def start() -> list[str]:
            return list((await client.reset()).observation.legal)

        async def step(reply: str) -> list[str]:
            return list((await client.step(CardAction(reply=reply))).observation.legal)

        return await measured("OpenEnv", server, games, start, step, client.state)


def words_and_structs(games: int) -> list[Figures]:
    """The CPU time of what is made and read for a decision."""
    views = []
    for seed in range(games):
        session = Session(seed=seed)
        while not session.is_over:
            views.append((session.view(), session.legal()[0]))
            session.play(f"[{session.legal()[0]}]")
    makers: dict[str, Callable[[Any, str], object]] = {
        "text": lambda view, move: describe(view),
        "short text": lambda view, move: describe(view, "short"),
        "reading a reply": lambda view, move: parse_reply(f"I play [{move}].", view),
        "struct": lambda view, move: write_position(view),
    }
    found = []
    for name, make in makers.items():
        each = [min(cpu_seconds(lambda make=make, at=at: make(*at)) for _ in range(3)) for at in views]  # type: ignore[misc]  # mypy knows no defaults
        found.append(figures(name, each))
    return found


def main(options: Options) -> None:
    """Measures and prints."""
    rows = words_and_structs(options.games)
    rows.append(figures("session", asyncio.run(in_process(options.games))))
    commands = {
        "MCP": ("skat_env", "mcp", "--http", "--port", str(PORT)),
        "OpenEnv": (
            "uvicorn",
            "skat_env.doors.openenv.app:app",
            "--port",
            str(PORT),
            "--log-level",
            "warning",
        ),
    }
    for door, words in commands.items():
        server = subprocess.Popen(
            [sys.executable, "-m", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            wait_for_port()
            play = over_mcp if door == "MCP" else over_openenv
            rows += asyncio.run(play(options.games, f"http://127.0.0.1:{PORT}", server.pid))
        finally:
            server.terminate()
            server.wait(30)
    print_table(
        ["milliseconds", "steps", "median", "99%", "CPU"],
        [[row.door, row.steps, f"{row.median:.3f}", f"{row.slowest:.3f}", f"{row.cpu:.3f}"] for row in rows],
    )
    keep(options, rows=rows)


def both_sides(server: int) -> float:
    """The CPU time so far of this process and of the server."""
    fields = Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()
    return time.process_time() + (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_for_port() -> None:
    """Waits until the server listens."""
    import socket

    for _ in range(3000):
        with socket.socket() as found:
            if found.connect_ex(("127.0.0.1", PORT)) == 0:
                return
        time.sleep(0.2)
    raise TimeoutError("the server does not listen")


if __name__ == "__main__":
    run_benchmark(main, Options)
