"""Speed of the environments on one core, by random legal play.

python benchmarks/env_speed.py [--game skat] [--seconds 2] [--out results/env_speed.json]

Every figure is the median of five runs. PettingZoo's tic-tac-toe is timed in the same run for scale.
"""

import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from skat_env._rollout import random_games
from skat_env.dataset import Dataset, DatasetWriter
from skat_env.protocols import Game
from skat_env.provenance import provenance
from skat_env.records import GameRecord
from skat_env.registry import get_game
from skat_env.vector import SelfPlayVector

RUNS = 5


@dataclass
class Options:
    """Speed of the environments on one core, by random legal play."""

    game: str = "skat"
    """The game."""
    seconds: float = 2.0
    """How long each figure is measured, in all its runs."""
    out: Path | None = None
    """A JSON file for the figures."""


@dataclass
class Figure:
    """One row of the table."""

    what: str
    unit: str
    per_second: float
    floor: float | None
    """What the project asks for at least."""


def rate(work: Callable[[], int], seconds: float) -> float:
    """Pieces of work a second: the median of runs, each of about `seconds / RUNS`."""
    work()
    rates = []
    for _ in range(RUNS):
        done, started = 0, time.perf_counter()
        while (passed := time.perf_counter() - started) < seconds / RUNS:
            done += work()
        rates.append(done / passed)
    return statistics.median(rates)


def core(game: Game) -> Callable[[], int]:
    """Whole random games in C."""
    prototype = game.state.new(game.random_deal(np.random.default_rng(0)), game.rules())
    seeds = iter(range(10**9))
    return lambda: random_games(prototype, 1000, next(seeds))[0]


def vector(game: Game, batch: int = 1024, steps: int = 20) -> Callable[[], int]:
    """The vector environment, observation and mask written. The choice of actions is prepared, and not timed."""
    env = SelfPlayVector(game.name, batch)
    rng = np.random.default_rng(0)
    now = [env.reset(seed=0)]
    spent = [0.0]

    def work() -> int:
        for _ in range(steps):
            actions = (rng.random(now[0].action_mask.shape, dtype=np.float32) * now[0].action_mask).argmax(axis=1)
            started = time.perf_counter()
            now[0] = env.step(actions)
            spent[0] += time.perf_counter() - started
        return steps * batch

    def timed() -> int:
        """Counts as many steps as would have fitted into the whole time, were choosing free."""
        spent[0] = 0.0
        started = time.perf_counter()
        done = work()
        return round(done * (time.perf_counter() - started) / spent[0])

    return timed


def loop(make: Callable[[], Any]) -> Callable[[], int]:
    """A PettingZoo loop over an episode with `last()` and a random legal action from the mask."""
    env = make()
    env.reset(seed=0)
    draw = random.Random(0).random

    def work() -> int:
        env.reset()
        steps = 0
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[int(draw() * len(legal))])
            steps += 1
        return steps

    return work


def replay(game: Game, folder: Path, games: int = 20_000) -> Callable[[], int]:
    """Checked replay of games of random play from a binary dataset."""
    rng = np.random.default_rng(0)
    with DatasetWriter(folder, game.name) as writer:
        for _ in range(games):
            state = game.state.new(game.random_deal(rng), game.rules())
            while not state.is_over:
                legal = state.legal_actions()
                state.apply(legal[int(rng.integers(len(legal)))])
            writer.add(GameRecord.of(game.name, state, ("random",) * len(game.seats)))
    dataset = Dataset(folder)
    return lambda: len(dataset.check())


def measure(options: Options) -> list[Figure]:
    """All figures."""
    game = get_game(options.game)
    module = import_module(f"skat_env.{game.name}_v0")
    tictactoe = import_module("pettingzoo.classic.tictactoe.tictactoe")
    with tempfile.TemporaryDirectory() as folder:
        rows: list[tuple[str, str, Callable[[], int], float | None]] = [
            ("Cython core, whole random games", "actions", core(game), 10e6),
            ("vector environment, batch 1024, observation and mask", "steps", vector(game), 1.5e6),
            ("raw_env loop with last() and masks", "steps", loop(module.raw_env), 150e3),
            ("env() with the standard wrappers", "steps", loop(module.env), 25e3),
            ("checked replay from the binary dataset", "games", replay(game, Path(folder) / "games"), 20e3),
            ("for scale: PettingZoo tic-tac-toe, raw_env", "steps", loop(tictactoe.raw_env), None),
            ("for scale: PettingZoo tic-tac-toe, env()", "steps", loop(tictactoe.env), None),
        ]
        return [Figure(what, unit, rate(work, options.seconds), floor) for what, unit, work, floor in rows]


def main() -> None:
    """Prints the table and writes the figures."""
    options = tyro.cli(Options, description=__doc__)
    figures = measure(options)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(f"{options.game}, one core")
    table.add_column("per second", justify="right")
    table.add_column("at least", justify="right")
    for figure in figures:
        floor = f"{figure.floor:,.0f}" if figure.floor else ""
        table.add_row(figure.what, f"{figure.per_second:,.0f} {figure.unit}", floor)
    Console().print(table)
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        rows = [vars(figure) for figure in figures]
        options.out.write_text(json.dumps({**provenance(), "figures": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
