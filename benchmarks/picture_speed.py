"""Pictures a second of a table on one core: what `render_mode="rgb_array"` gives, and SVG.

python benchmarks/picture_speed.py [--game both] [--seconds 2] [--out results/picture_speed.json]

The pictures are of the positions of random games, as a seat sees them and with all cards open. Every figure is the
median of five runs in CPU time of the process, as the core may have other work.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from rich.box import SIMPLE_HEAD
from rich.table import Table

from skat_env.pictures.pixels import table_pixels
from skat_env.pictures.svg import table_svg
from skat_env.pictures.table import table_of
from skat_env.registry import game_names, get_game
from skat_env.tools.console import Console
from skat_env.tools.provenance import write_result

RUNS = 5
POSITIONS = 200
FLOOR = 60


@dataclass
class Options:
    """Pictures a second of a table on one core."""

    game: str = "both"
    """One game, or both."""
    seconds: float = 2.0
    """Seconds to measure each figure, over all its runs."""
    out: Path | None = None
    """JSON file for the figures."""


@dataclass
class Figure:
    """One row of the table."""

    game: str
    what: str
    per_second: float


def main(options: Options) -> int:
    """Measures, prints and writes the figures; the exit status is 1 if pixels come too slowly."""
    names = game_names() if options.game == "both" else (options.game,)
    figures = []
    for name in names:
        states = positions(name)
        for what, draw in {
            "pixels, a seat": lambda state: table_pixels(table_of(name, state.view(0))),  # noqa: B023
            "pixels, all cards": lambda state: table_pixels(table_of(name, state)),  # noqa: B023
            "SVG, all cards": lambda state: table_svg(table_of(name, state)),  # noqa: B023
        }.items():
            figures.append(Figure(name, what, rate(draw, states, options.seconds)))
    table = Table(box=SIMPLE_HEAD)
    for column in ("game", "picture", "a second"):
        table.add_column(column, justify="right" if column == "a second" else "left")
    for figure in figures:
        table.add_row(figure.game, figure.what, f"{figure.per_second:,.0f}")
    Console().print(table)
    if options.out is not None:
        write_result(options.out, {"figures": [asdict(figure) for figure in figures]})
    return int(any(figure.per_second < FLOOR for figure in figures))


def positions(name: str) -> list[Any]:
    """Positions of random games, from the deal to the end."""
    rng = np.random.default_rng(0)
    states: list[Any] = []
    while len(states) < POSITIONS:
        state = get_game(name).state.random(rng)
        while not state.is_over:
            state.apply(int(rng.choice(state.legal_actions())))
            states.append(state.clone())
    return states


def rate(draw: Callable[[Any], Any], states: list[Any], seconds: float) -> float:
    """Pictures a second, after one round that fills the caches."""
    for state in states:
        draw(state)
    found = []
    for _ in range(RUNS):
        count, started = 0, time.process_time()
        while time.process_time() - started < seconds / RUNS:
            draw(states[count % len(states)])
            count += 1
        found.append(count / (time.process_time() - started))
    return statistics.median(found)


if __name__ == "__main__":
    raise SystemExit(main(tyro.cli(Options)))
