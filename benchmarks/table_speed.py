"""Times of the browser table: the first page, the round trip of a card, and many tables at once.

python benchmarks/table_speed.py [--games skat klaverjas] [--agent rule] [--tables 100] [--out FILE.json]

A server runs in a process of its own, as `skat-env table` starts it; this process is everybody's browser.
"""

import asyncio
import json
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from urllib.request import Request, urlopen

import numpy as np
import tyro
from rich.console import Console
from websockets.asyncio.client import connect

from skat_env.tools.provenance import write_result

LINKS = re.compile(r'(?:src|href)="([^"]+\.(?:js|css))"')
IMPORTS = re.compile(r"""(?:from|import)\s*\(?\s*["']([./][^"']+\.js)["']""")


@dataclass
class Options:
    """Times of the browser table."""

    games: tuple[str, ...] = ("skat", "klaverjas")
    agent: str = "rule"
    pages: tuple[str, ...] = ("/", "/t/x", "/review", "/shelf")
    """Pages to load; every table has the same."""
    cards: int = 300
    """Actions of a person whose round trip is measured, a game."""
    tables: int = 100
    """Tables at once, each with one person and agents, in equal parts of the games."""
    deals: int = 3
    """Deals at each of them."""
    pause: float = 2.0
    """Seconds for which a person thinks, on average; the same tables are played without pauses too."""
    seed: int = 0
    out: Path | None = None
    """JSON file for the figures."""


@dataclass(frozen=True)
class Page:
    """A page with the scripts and styles that it needs, loaded one after another."""

    path: str
    kilobytes: float
    files: int
    milliseconds: float


@dataclass(frozen=True)
class Steps:
    """Milliseconds from sending an action to the next scene in which the person acts or the deal is over."""

    what: str
    actions: int
    median: float
    percentile_99: float
    most: float


def measure_page(address: str, path: str) -> Page:
    """Loads a page and, as a browser would, all that it names."""
    started = time.perf_counter()
    waiting, seen, size = [path], set(), 0
    while waiting:
        at = waiting.pop()
        if at in seen:
            continue
        seen.add(at)
        with urlopen(urljoin(address, at)) as answer:
            body: bytes = answer.read()
        size += len(body)
        text = body.decode()
        found = LINKS.findall(text) if at == path else IMPORTS.findall(text) if at.endswith(".js") else []
        waiting += [urljoin(at, link) for link in found]
    return Page(path, size / 1000, len(seen), 1000 * (time.perf_counter() - started))


def new_table(address: str, **given: Any) -> dict[str, Any]:
    """Makes a table."""
    body = json.dumps(given).encode()
    with urlopen(Request(f"{address}/api/tables", body, {"Content-Type": "application/json"})) as answer:
        made: dict[str, Any] = json.load(answer)
    return made


def in_turn(scene: dict[str, Any]) -> bool:
    """Whether a message is a scene in which the person acts, or the deal is over."""
    return scene["kind"] == "scene" and bool(scene["legal"] or scene["over"])


async def person(
    address: str, made: dict[str, Any], deals: int, actions: int, seed: int, pause: float
) -> list[float]:
    """Plays random actions for some deals or actions at a table; the milliseconds of each."""
    rng = np.random.default_rng(seed)
    times: list[float] = []
    async with connect(f"{address.replace('http', 'ws', 1)}/ws/{made['table']}") as socket:

        async def scene() -> dict[str, Any]:
            while not in_turn(message := json.loads(await socket.recv())):
                pass
            found: dict[str, Any] = message
            return found

        await socket.send(json.dumps({"do": "join", "token": made["seats"]["0"]}))
        now = await scene()
        while len(times) < actions:
            if now["over"]:
                deals -= 1
                if not deals:
                    break
                await socket.send('{"do":"next"}')
                while (now := await scene())["over"]:
                    pass
                continue
            if pause:
                await asyncio.sleep(rng.uniform(0, 2 * pause))
            action = int(rng.choice([each["action"] for each in now["legal"]]))
            started = time.perf_counter()
            await socket.send(json.dumps({"do": "act", "action": action, "number": now["number"]}))
            now = await scene()
            times.append(1000 * (time.perf_counter() - started))
    return times


async def people(
    address: str, made: list[dict[str, Any]], deals: int, actions: int, seed: int, pause: float
) -> list[float]:
    """The times of one person at each of some tables, all at once."""
    played = [person(address, table, deals, actions, seed + i, pause) for i, table in enumerate(made)]
    return [each for times in await asyncio.gather(*played) for each in times]


def steps(what: str, times: list[float]) -> Steps:
    """The distribution of some times."""
    median, late = (float(value) for value in np.percentile(times, (50, 99)))
    return Steps(what, len(times), median, late, max(times))


def main(options: Options) -> None:
    """Measures and prints."""
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen(
            [sys.executable, "-m", "skat_env", "table", "--port", "0", "--folder", folder],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[1].rstrip("/")
            pages = [measure_page(address, path) for path in options.pages]
            console = Console()
            for page in pages:
                console.print(
                    f"page {page.path:<8} {page.kilobytes:6.1f} kB in {page.files} files, {page.milliseconds:6.1f} ms"
                )

            def seats(game: str) -> list[dict[str, str]]:
                others = 2 if game == "skat" else 3
                return [{"kind": "human"}, *[{"kind": "agent", "spec": options.agent}] * others]

            found = []
            for game in options.games:
                made = new_table(address, game=game, seats=seats(game), seed=options.seed)
                times = asyncio.run(people(address, [made], sys.maxsize, options.cards, options.seed, 0.0))
                found.append(steps(f"{game}, one table", times))
            for pause in (options.pause, 0.0):
                tables = []
                for number in range(options.tables):
                    game = options.games[number % len(options.games)]
                    made = new_table(address, game=game, seats=seats(game), seed=options.seed + number)
                    tables.append(made)
                times = asyncio.run(people(address, tables, options.deals, sys.maxsize, options.seed, pause))
                found.append(steps(f"{options.tables} tables, pauses of {pause:g} s", times))
        finally:
            server.terminate()
            server.wait()
    for each in found:
        console.print(
            f"{each.what:<28} {each.actions:6} actions: median {each.median:6.1f} ms, "
            f"99th percentile {each.percentile_99:6.1f} ms, most {each.most:6.1f} ms",
            soft_wrap=True,
        )
    if options.out is not None:
        settings = asdict(options) | {"out": str(options.out)}
        pages_found = [asdict(page) for page in pages]
        write_result(options.out, {"config": settings, "pages": pages_found, "steps": [*map(asdict, found)]})


if __name__ == "__main__":
    main(tyro.cli(Options))
