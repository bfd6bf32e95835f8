"""How quick the table in the browser is: its first page, a card's way there and back, a hundred tables at once.

python -m benchmarks.speed.table [--tables 100] [--pause 0.5] [--spectators 400] [--out results/table_speed.json]

The server runs in a process of its own, as people start it; pages are opened in Chromium, if it is there.
"""

import asyncio
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from typing import Any
from urllib.request import Request, urlopen

import numpy as np
import websockets

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from skat_env.options import Count, NonNegative
from skat_env.registry import get_game
from skat_env.table.server import STATIC

FILES = (
    *("play.html", "style.css", "thoughts.css", "play.js", "scene.js", "cards.js", "words.js", "settings.js"),
    *("thoughts.js", "page.js", "chart.js", "words/de.json", "words/pages.de.json"),
    *("links.js", "mine.js", "motion.js", "sound.js"),
)
"""What the page of a table loads, in German; faces of cards apart."""


@dataclass
class Options(Kept):
    """How quick the table in the browser is."""

    tables: Count = 100
    """Tables that are played at the same time, each by a person and `rule`."""
    pause: NonNegative = 0.0
    """Seconds that the people at many tables wait before they act; 0: all tables act all the time."""
    cards: Count = 300
    """Actions of a person whose way is timed at a single table."""
    spectators: Count = 400
    """People who come to one table at the same time."""
    game: str = "skat"


@dataclass(frozen=True)
class Figures:
    """What was measured, in milliseconds and kilobytes."""

    page: float | None
    """From the request to the first picture of a new table, in Chromium; the median of nine."""
    kilobytes: float
    """Pages, scripts, styles and words of a table, without card faces."""
    card: float
    """From a person's action to the scene in which it is their turn again or the deal is over; the median."""
    card_99: float
    """The 99th percentile of the same."""
    step: float
    """At many tables at once, from one action at a table, a person's or an agent's, to the next; the median."""
    step_99: float
    """The 99th percentile of the same."""
    turn: float
    """As `card`, at many tables at once; the median."""
    turn_99: float
    """The 99th percentile of the same."""
    joins: float
    """Until all spectators who come to a table at the same time see it."""
    champions: float
    """Until a table with champions in the other seats is made."""


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds at a table."""

    turns: list[float]
    """From a person's action to their next turn or the end of the deal."""
    steps: list[float]
    """From the person's message or one scene to the next scene."""


def made(address: str, **given: Any) -> dict[str, Any]:
    """Makes a table."""
    request = Request(
        f"{address}/api/tables", json.dumps(given).encode(), {"Content-Type": "application/json"}
    )
    found: dict[str, Any] = json.load(urlopen(request))
    return found


async def played(address: str, table: dict[str, Any], actions: int, seed: int, pause: float = 0.0) -> Times:
    """How long some random actions of a person take, over as many deals as it needs."""
    rng = np.random.default_rng(seed)
    times = Times([], [])
    async with websockets.connect(f"ws{address[4:]}/ws/{table['table']}") as socket:
        await socket.send(json.dumps({"do": "join", "token": table["seats"]["0"]}))
        acted = before = None
        async for text in socket:
            now = time.perf_counter()
            if before is not None:
                times.steps.append(1000 * (now - before))
            before = now
            scene = json.loads(text)
            if not scene["legal"] and not scene["over"]:
                continue
            if acted is not None:
                times.turns.append(1000 * (now - acted))
            if len(times.turns) >= actions:
                break
            if scene["over"]:
                message: dict[str, Any] = {"do": "next"}
            else:
                chosen = int(rng.choice([each["action"] for each in scene["legal"]]))
                message = {"do": "act", "action": chosen, "number": scene["number"]}
            await asyncio.sleep(pause * rng.uniform(0.5, 1.5))
            acted = before = time.perf_counter()
            await socket.send(json.dumps(message))
    return times


def first_page(address: str, game: str) -> float | None:
    """The milliseconds to the first picture of a table; None without Chromium."""
    chromium = shutil.which("chromium")
    if chromium is None:
        return None
    from playwright.sync_api import sync_playwright

    took = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for _ in range(9):
            table = made(address, game=game)
            page = browser.new_context().new_page()
            started = time.perf_counter()
            page.goto(f"{address}/t/{table['table']}#{table['seats']['0']}")
            page.locator("#table .card img").first.wait_for()
            took.append(1000 * (time.perf_counter() - started))
            page.context.close()
        browser.close()
    return statistics.median(took)


async def joined(address: str, table: dict[str, Any], count: int) -> float:
    """The milliseconds until some spectators, who come at the same time, all see a table."""

    async def join() -> Any:
        socket = await websockets.connect(f"ws{address[4:]}/ws/{table['table']}")
        await socket.send(json.dumps({"do": "join"}))
        await socket.recv()
        return socket

    started = time.perf_counter()
    sockets = await asyncio.gather(*(join() for _ in range(count)))
    took = 1000 * (time.perf_counter() - started)
    for socket in sockets:
        await socket.close()
    return took


async def all_tables(address: str, tables: list[dict[str, Any]], pause: float) -> Times:
    """30 actions at each of some tables, all at once."""
    found = await asyncio.gather(
        *(played(address, table, 30, seed, pause) for seed, table in enumerate(tables))
    )
    return Times(
        [each for times in found for each in times.turns], [each for times in found for each in times.steps]
    )


def measure(options: Options) -> Figures:
    """Starts a server and measures."""
    kilobytes = sum((STATIC / name).stat().st_size for name in FILES) / 1024
    with tempfile.TemporaryDirectory() as folder:
        code = "import sys; from skat_env.program import main; sys.exit(main())"
        command = [sys.executable, "-c", code, "table", "--port", "0", "--folder", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1].rstrip("/")
            try:
                page = first_page(address, options.game)
                table = made(address, game=options.game, seed=1)
                cards = asyncio.run(played(address, table, options.cards, 0)).turns
                tables = [made(address, game=options.game, seed=seed) for seed in range(options.tables)]
                many = asyncio.run(all_tables(address, tables, options.pause))
                joins = asyncio.run(joined(address, tables[0], options.spectators))
                champion = {"kind": "agent", "spec": "champion"}
                seats = [{"kind": "human"}, *[champion] * (len(get_game(options.game).seats) - 1)]
                started = time.perf_counter()
                made(address, game=options.game, seats=seats)
                champions = 1000 * (time.perf_counter() - started)
            finally:
                server.terminate()
    return Figures(
        page,
        kilobytes,
        statistics.median(cards),
        float(np.percentile(cards, 99)),
        statistics.median(many.steps),
        float(np.percentile(many.steps, 99)),
        statistics.median(many.turns),
        float(np.percentile(many.turns, 99)),
        joins,
        champions,
    )


def main(options: Options) -> None:
    """Prints the figures."""
    figures = measure(options)
    rows = [
        ("first page, ms", figures.page, 1000),
        ("its size, KB", figures.kilobytes, 100),
        ("a card there and back, ms, median", figures.card, 50),
        ("99th percentile", figures.card_99, None),
        (f"a step at {options.tables} tables, ms, median", figures.step, None),
        ("99th percentile", figures.step_99, 200),
        ("a person's turn there, ms, median", figures.turn, None),
        ("99th percentile", figures.turn_99, None),
        (f"{options.spectators} spectators who come at once, ms", figures.joins, None),
        ("a table with champions is made, ms", figures.champions, None),
    ]
    print_table(
        ("what", "measured", "at most"),
        [
            (name, "no Chromium" if value is None else f"{value:.3g}", most or "")
            for name, value, most in rows
        ],
        title=f"the table in the browser, {options.game}",
    )
    keep(options, **asdict(figures))


if __name__ == "__main__":
    run_benchmark(main, Options)
