"""Speed of training with stable-baselines3: environment steps a second, collecting and learning.

python benchmarks/sb3_speed.py [--updates 6] [--out results/sb3_speed.json]

Every row is MaskablePPO with the defaults of `agents.sb3.train` on one thread, by the process's own CPU time, as the
core may have other work; the median of the updates counts, the first left out.
"""

import statistics
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import tyro
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from agents.sb3.train import Config, Run
from skat_env.tools.provenance import write_result

FLOOR = 5000.0
"""What the project asks for."""


@dataclass
class Options:
    """Environment steps a second of training with stable-baselines3."""

    updates: int = 6
    """Rollouts with their gradient steps, a row."""
    out: Path | None = None
    """A JSON file for the figures."""


@dataclass
class Figure:
    """One row of the table."""

    game: str
    opponents: str
    per_second: float
    floor: float = FLOOR


def measure(options: Options, game: str, opponents: str, self_play: float) -> Figure:
    """The rate of one game against some opponents."""
    with tempfile.TemporaryDirectory() as folder:
        # A leg is one rollout; its checkpoint, some milliseconds, and its few starts are timed with it.
        run = Run(
            Config(Path(folder), game, 1, opponents=(opponents,), self_play=self_play, starts=16, leg=1)
        )
        rates = []
        for _ in range(options.updates + 1):
            begun, started = run.steps, time.process_time()
            run.leg(lambda steps: None)
            rates.append((run.steps - begun) / (time.process_time() - started))
        run.close()
    shown = f"past selves {self_play:.0%}, {opponents}" if self_play else opponents
    return Figure(game, shown, statistics.median(rates[1:]))


def main() -> None:
    """Prints the table and writes the figures."""
    options = tyro.cli(Options, description=__doc__)
    table = Table("game", "opponents", "steps/s", "at least", box=SIMPLE_HEAD, pad_edge=False)
    figures = []
    for game in ("skat", "klaverjas"):
        for opponents, self_play in (("random", 0.0), ("rule", 0.0), ("rule", 0.5)):
            figure = measure(options, game, opponents, self_play)
            figures.append(figure)
            table.add_row(game, figure.opponents, f"{figure.per_second:,.0f}", f"{figure.floor:,.0f}")
    Console(width=110).print(table)
    if options.out is not None:
        write_result(options.out, {"figures": [vars(figure) for figure in figures]})


if __name__ == "__main__":
    main()
