"""Speed of deep Monte-Carlo self-play with learning, with the default small networks.

python -m benchmarks.speed.dmc [--game both] [--threads 2] [--waves 8] [--out benchmarks/results/dmc_speed.json]

Reports games per second of wall-clock time and of the process's CPU time; the latter times the number of threads is the
speed on an idle machine. Games start at random declarations, without bidding.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, get_args

from benchmarks.harness import Kept, keep, read_options
from skat_env.agents.learners.dmc import Config, SelfPlay
from skat_env.agents.learners.start_pool import StartMaker, StartPool

FLOOR = 1500.0
"""The required games of Skat a second on two cores."""


Game = Literal["skat", "klaverjas"]


@dataclass
class Options(Kept):
    """Speed of deep Monte-Carlo self-play."""

    game: Game | Literal["both"] = "both"
    """One game, or both."""
    threads: int = 2
    """Threads that play and learn."""
    waves: int = 8
    """Number of measured waves of 4,096 games."""


@dataclass(frozen=True)
class Figure:
    """The speed of one game's self-play."""

    game: str
    games: int
    decisions_per_game: float
    """Decisions with more than one legal card, which are the training rows."""
    games_per_second: float
    games_per_cpu_second: float


def measure(game: Game, options: Options) -> Figure:
    """Measures some waves of playing and learning, after a warm-up wave."""
    config = Config(game=game, games=10**9, threads=options.threads, starts=2000, fresh=0)
    maker = StartMaker(game, 0, random_declarations=1.0 if game == "skat" else 0.0)
    with (
        StartPool(maker, config.starts, 0, 1) as pool,
        ThreadPoolExecutor(config.threads, "dmc") as workers,
    ):
        pool.fill()
        play = SelfPlay(config, pool, workers)
        play.wave()
        rows = 0.0
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(options.waves):
            rows += sum(value for name, value in play.wave().items() if name.endswith("_rows"))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    games = options.waves * config.lanes
    return Figure(game, games, rows / games, games / wall, games / cpu)


def main() -> None:
    """Prints the figures and writes them."""
    options = read_options(Options, __doc__)
    games = get_args(Game) if options.game == "both" else (options.game,)
    figures = [measure(game, options) for game in games]
    for figure in figures:
        print(
            f"{figure.game}: {figure.games_per_second:,.0f} games/s on {options.threads} threads "
            f"({figure.games_per_cpu_second:,.0f} a CPU second; {figure.decisions_per_game:.1f} decisions per game"
            + (f"; at least {FLOOR:,.0f})" if figure.game == "skat" else ")")
        )
    keep(options, figures=figures)


if __name__ == "__main__":
    main()
