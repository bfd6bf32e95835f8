"""Speed of the environments on one core, by random legal play.

python -m benchmarks.speed.environments [--game both] [--seconds 2] [--out results/env_speed.json]

Every figure is the median of five runs in CPU time of the process, as the core may have other work. PettingZoo's
tic-tac-toe is timed in the same run for comparison.
"""

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Games, Kept, Seconds, Work, counted, keep, print_table, rate, run_benchmark
from skat_env.datasets.importer import import_games
from skat_env.envs.single_seat import SingleSeatEnv
from skat_env.envs.vector import SelfPlayVector
from skat_env.play._rollout import random_games
from skat_env.protocols import Game
from skat_env.records import GameRecord
from skat_env.registry import game_names, get_game


@dataclass
class Options(Kept):
    """Speed of the environments on one core, by random legal play."""

    game: Games = "both"
    """One game, or both: a column each, measured in turn."""
    seconds: Seconds = 2.0
    """Seconds to measure each figure, over all its runs."""


@dataclass
class Figure:
    """One row of the table."""

    what: str
    game: str
    """The game; empty for the comparison with PettingZoo."""
    unit: str
    per_second: float
    floor: float | None
    """The required rate; None: there is none."""


def core(game: Game) -> Work:
    """Plays whole random games in C."""
    prototype = game.state.random(np.random.default_rng(0), game.rules())
    seeds = iter(range(10**9))
    return counted(lambda: random_games(prototype, 1000, next(seeds))[0])


def vector(game: Game, batch: int = 1024) -> Work:
    """Steps the vector environment, which writes observations and masks; choosing actions is not timed."""
    env = SelfPlayVector(game.name, batch)
    rng = np.random.default_rng(0)
    step = env.reset(seed=0)

    def work() -> tuple[int, float]:
        nonlocal step
        actions = (rng.random(step.action_mask.shape, dtype=np.float32) * step.action_mask).argmax(axis=1)
        started = time.process_time()
        step = env.step(actions)
        return batch, time.process_time() - started

    return work


def loop(make: Callable[[], Any]) -> Work:
    """Runs a PettingZoo loop over an episode with `last()` and random legal actions from the mask."""
    env = make()
    env.reset(seed=0)
    draw = random.Random(0).random

    def episode() -> int:
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

    return counted(episode)


def one_seat(game: Game, opponents: str) -> Work:
    """Plays whole games with random legal actions in the Gymnasium environment, against agents."""
    env = SingleSeatEnv(game.name, opponents=opponents)
    env.reset(seed=0)
    draw = random.Random(0).random

    def episode() -> int:
        env.reset()
        steps, over = 0, False
        while not over:
            legal = env.action_masks().nonzero()[0]
            _, _, over, _, _ = env.step(int(legal[int(draw() * len(legal))]))
            steps += 1
        return steps

    return counted(episode)


def replay(game: Game, folder: Path, games: int = 20_000) -> Work:
    """Replays games of random play from a binary dataset, with checks."""
    rng = np.random.default_rng(0)
    lines = []
    for _ in range(games):
        state = game.state.random(rng, game.rules())
        while not state.is_over:
            legal = state.legal_actions()
            state.apply(legal[int(rng.integers(len(legal)))])
        lines.append(GameRecord.of(game.name, state, ("random",) * len(game.seats)).text() + "\n")
    folder.mkdir()
    (folder / "games.jsonl").write_text("".join(lines))
    dataset = import_games(folder / "games.jsonl", folder / "dataset")
    return counted(lambda: len(dataset.check()))


def works(name: str, folder: Path) -> list[tuple[str, str, Work, float | None]]:
    """The measurements of a game: name, unit, work, and required rate."""
    game = get_game(name)
    module = import_module(f"skat_env.{name}_v0")
    return [
        ("Cython core, whole random games", "actions", core(game), 10e6),
        ("vector env, batch 1024, observation and mask", "steps", vector(game), 1.5e6),
        ("raw_env loop with last() and masks", "steps", loop(module.raw_env), 150e3),
        ("env() with the standard wrappers", "steps", loop(module.env), 25e3),
        ("one seat, opponents random", "steps", one_seat(game, "random"), None),
        ("one seat, opponents rule", "steps", one_seat(game, "rule"), None),
        ("checked replay from the binary dataset", "games", replay(game, folder / name), 20e3),
    ]


def measure(names: Sequence[str], seconds: float) -> list[Figure]:
    """All figures of some games, each measured for the games in turn, so that other load affects them alike."""
    with tempfile.TemporaryDirectory() as folder:
        by_game = [works(name, Path(folder)) for name in names]
        return [
            Figure(what, name, unit, rate(work, seconds), floor)
            for row in zip(*by_game, strict=True)
            for name, (what, unit, work, floor) in zip(names, row, strict=True)
        ]


def scale(seconds: float) -> list[Figure]:
    """The figures of PettingZoo's tic-tac-toe, for comparison."""
    try:
        tictactoe = import_module("pettingzoo.classic.tictactoe.tictactoe")
    except ImportError:
        print("without pygame, PettingZoo's tic-tac-toe is not timed for scale")
        return []
    rows = [("raw_env", tictactoe.raw_env), ("env()", tictactoe.env)]
    return [
        Figure(f"for scale: PettingZoo tic-tac-toe, {what}", "", "steps", rate(loop(make), seconds), None)
        for what, make in rows
    ]


def main(options: Options) -> None:
    """Prints the table and writes the figures."""
    games = game_names() if options.game == "both" else (options.game,)
    figures = measure(games, options.seconds) + scale(options.seconds)
    rows = []
    for what in dict.fromkeys(figure.what for figure in figures):
        row = {figure.game: figure for figure in figures if figure.what == what}
        first = next(iter(row.values()))
        shown = [
            f"{(row.get(name) or first).per_second:,.0f}" if name in row or name == games[0] else ""
            for name in games
        ]
        rows.append((what, *shown, first.unit, f"{first.floor:,.0f}" if first.floor else ""))
    print_table(("per second, one core", *games, "", "at least"), rows)
    keep(options, figures=figures)


if __name__ == "__main__":
    run_benchmark(main, Options)
