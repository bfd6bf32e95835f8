"""Speed of training with stable-baselines3: environment steps per second, with collection and learning.

python -m benchmarks.speed.sb3 [--updates 6] [--out results/sb3_speed.json]

Every row is MaskablePPO with the defaults of `skat-env train sb3` on one thread, by the process's own CPU time, as the
core may have other work: from the first step of a rollout to that of the next; the median counts, the first left out.
Starts are drawn by a second process and models are saved after a leg of 24 rollouts: neither is timed.
"""

import statistics
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import msgspec

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from skat_env.agents.learners.run import TrainingRun
from skat_env.agents.sb3.train import Config, Ppo
from skat_env.options import Count

FLOOR = 12_000.0
"""The required steps per second."""


@dataclass
class Options(Kept):
    """Environment steps per second of training with stable-baselines3."""

    updates: Count = 6
    """Number of rollouts, with their gradient steps, for each row."""


@dataclass
class Figure:
    """One row of the table."""

    game: str
    opponents: str
    per_second: float
    floor: float = FLOOR


def measure(options: Options, game: str, opponents: str, self_play: float) -> Figure:
    """The rate of one game against some opponents."""
    config = Config(game=game, opponents=(opponents,), self_play=self_play, starts=64)
    rollout = config.games * config.horizon
    config = msgspec.structs.replace(config, steps=1, leg=(options.updates + 2) * rollout)
    begun = []

    def on_step(steps: int) -> None:
        if steps % rollout == config.games:  # the first of a rollout
            begun.append(time.process_time())

    with (
        tempfile.TemporaryDirectory() as folder,
        TrainingRun(Path(folder), "sb3", config) as run,
        Ppo(config, run) as ppo,
    ):
        ppo.leg(on_step)
    rates = [rollout / (end - start) for start, end in pairwise(begun)]
    shown = f"past selves {self_play:.0%}, {opponents}" if self_play else opponents
    return Figure(game, shown, statistics.median(rates[1:]))


def main(options: Options) -> None:
    """Prints the table and writes the figures."""
    figures = [
        measure(options, game, opponents, self_play)
        for game in ("skat", "klaverjas")
        for opponents, self_play in (("random", 0.0), ("rule", 0.0), ("rule", 0.5))
    ]
    rows = [(each.game, each.opponents, f"{each.per_second:,.0f}", f"{each.floor:,.0f}") for each in figures]
    print_table(("game", "opponents", "steps per second", "at least"), rows, left=2)
    keep(options, figures=figures)


if __name__ == "__main__":
    run_benchmark(main, Options)
