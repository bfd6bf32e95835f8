"""Speed of learners that play in waves, `train dmc` and `train ppo`, and where each microsecond goes, on one thread.

python -m benchmarks.speed.waves [--learners dmc ppo] [--game skat] [--kind suit] [--waves 4] [--out FILE.json]

Prints CPU microseconds per game by part, medians over `--runs` runs of some waves, and games per CPU second; with the
configs that ship, and starts that `rule` declares.
"""

import statistics
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from benchmarks.harness import GameName, Kept, keep, print_table, run_benchmark
from skat_env.agents.learners.config import find_config, read_config
from skat_env.agents.learners.experience.start_pool import StartMaker, StartPool
from skat_env.agents.learners.networks import averaged_network
from skat_env.agents.learners.train import LEARNERS
from skat_env.options import Count

PARTS = {
    "rules and features": ("begin", "advance"),
    "drawing cards": ("choose", "draw"),
    "networks that play": ("outputs",),
    "targets": ("finish",),
    "choice of rows": ("chosen",),
    "forward passes": ("forward",),
    "losses": ("loss",),
    "backward passes, Adam, averages": ("step",),
}
"""Methods of actors, perceptrons and learners by what they do."""
WHOLE = "whole"
REST = "rest"


@dataclass
class Options(Kept):
    """Speed of learning in waves."""

    learners: tuple[Literal["dmc", "ppo"], ...] = ("dmc", "ppo")
    """Names of learners."""
    game: GameName = "skat"
    """The game."""
    kind: str | None = None
    """The kind of game; default: all."""
    waves: Count = 4
    """Waves of a run."""
    runs: Count = 5
    """Runs, after one wave that is not counted."""
    set: tuple[str, ...] = ()
    """Changes of the config, as in `skat-env train`."""


@dataclass(frozen=True)
class Figure:
    """Where the time of a learner goes."""

    learner: str
    games_per_cpu_second: float
    microseconds: dict[str, float]
    """CPU time of a game by part."""


def timed(kind: Any, seconds: dict[str, float]) -> Any:
    """A subclass, the CPU time of whose methods is added up."""

    def counted(name: str, part: str) -> Any:
        method = getattr(kind, name)

        @wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            began = time.process_time()
            try:
                return method(*args, **kwargs)
            finally:
                seconds[part] += time.process_time() - began

        return call

    methods = {
        name: counted(name, part) for part, names in PARTS.items() for name in names if hasattr(kind, name)
    }
    return type(kind.__name__, (kind,), methods)


def measure(learner: str, options: Options) -> Figure:
    """Plays and learns."""
    module: Any = import_module(LEARNERS[learner])
    seconds: dict[str, float] = defaultdict(float)
    for name in ("Actors", "PolicyActors", "Policy", "Critic"):
        if hasattr(module, name):
            setattr(module, name, timed(getattr(module, name), seconds))
    learning: Any = averaged_network
    learning.MLP = timed(learning.MLP, seconds)
    kind = [] if options.kind is None else [f"kind={options.kind}"]
    given = ["dataset=", "recorded=0", "random_declarations=0", "threads=1", "starts=2000", "fresh=0"]
    # The critic alone learns while it warms up.
    warm = ["warm_up=0"] if learner == "ppo" else []
    path = find_config(Path(f"{learner}-{options.game}"))
    config = read_config(module.Config, path, [*given, *warm, *kind, *options.set])
    maker = StartMaker(config.game, config.seed, config.bidder, kind=config.kind)
    runs: list[dict[str, float]] = []
    with StartPool(maker, config.starts, 0, 1) as pool, ThreadPoolExecutor(1) as workers:
        pool.fill()
        play = module.SelfPlay(config, pool, workers)
        play.wave()
        for _ in range(options.runs):
            seconds.clear()
            began = time.process_time()
            for _ in range(options.waves):
                play.wave()
            whole = time.process_time() - began
            each = {**seconds, REST: whole - sum(seconds.values()), WHOLE: whole}
            runs.append({part: took / options.waves / config.lanes * 1e6 for part, took in each.items()})
    parts = [part for part in (*PARTS, REST, WHOLE) if part in runs[0]]
    medians = {part: statistics.median(run[part] for run in runs) for part in parts}
    return Figure(learner, 1e6 / medians[WHOLE], medians)


def main(options: Options) -> None:
    """Measures and prints."""
    figures = [measure(learner, options) for learner in options.learners]
    for figure in figures:
        print_table(
            ("CPU µs per game", figure.learner),
            [(part, f"{took:.1f}") for part, took in figure.microseconds.items()],
        )
        print(f"{figure.games_per_cpu_second:,.0f} games per CPU second")
    keep(options, figures=figures)


if __name__ == "__main__":
    run_benchmark(main, Options)
