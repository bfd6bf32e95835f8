"""Pictures per second of a table on one core: what `render_mode="rgb_array"` gives, and SVG.

python -m benchmarks.speed.pictures [--game both] [--seconds 2] [--out results/picture_speed.json]

The pictures are of the positions of random games, as a seat sees them and with all cards open. Every figure is the
median of five runs in CPU time of the process, as the core may have other work.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness import Games, Kept, Seconds, counted, keep, print_table, rate, run_benchmark
from skat_env.pictures.pixels import table_pixels
from skat_env.pictures.svg import table_svg
from skat_env.pictures.table import table_of
from skat_env.registry import game_names, get_game

POSITIONS = 200
FLOOR = 60


@dataclass
class Options(Kept):
    """Pictures per second of a table on one core."""

    game: Games = "both"
    """One game, or both."""
    seconds: Seconds = 2.0
    """Seconds to measure each figure, over all its runs."""


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
            figures.append(Figure(name, what, rate(counted(lambda: drawn(draw, states)), options.seconds)))  # noqa: B023
    rows = [(each.game, each.what, f"{each.per_second:,.0f}") for each in figures]
    print_table(("game", "picture", "per second"), rows, left=2)
    keep(options, figures=figures)
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


def drawn(draw: Callable[[Any], object], states: list[Any]) -> int:
    """The number of pictures, once they are drawn."""
    for state in states:
        draw(state)
    return len(states)


if __name__ == "__main__":
    run_benchmark(main, Options)
