"""The starts of the benchmark's tasks: deals that `rule` bids and declares, a file per kind of game.

python -m benchmarks.make.task_starts

They ship in `agents/bench/data` and define the tasks, so that they are made once.
"""

import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.harness import run_benchmark
from skat_env.agents.bench.task import DATA, EVALUATION, TRAINING
from skat_env.options import Seed
from skat_env.play.lockstep import play_games
from skat_env.play.starts import PlayedTo
from skat_env.protocols import State
from skat_env.registry import get_game, make_agent
from skat_env.tools.progress import progress_bar

CHUNK = 512


@dataclass
class Options:
    """The starts of the benchmark's tasks."""

    seed: Seed = 48
    """The seed of the deals."""
    out: Path = DATA
    """The folder of the files."""


def main(options: Options) -> None:
    """Makes the files."""
    wanted = TRAINING + EVALUATION
    kinds: dict[str, list[State]] = {kind: [] for kind in get_game("skat").kinds}
    source = PlayedTo("skat", get_game("skat").stages[-1], "rule")
    number = 0
    with progress_bar("starts", wanted * len(kinds)) as progress:
        while any(len(states) < wanted for states in kinds.values()):
            numbers = range(number, number + CHUNK)
            for state in source.many([np.random.default_rng([options.seed, each]) for each in numbers]):
                kinds[state.kind].append(state)
            number += CHUNK
            progress(sum(min(len(states), wanted) for states in kinds.values()))
    options.out.mkdir(parents=True, exist_ok=True)
    for kind, states in kinds.items():
        write(options.out / f"skat_{kind}.txt.gz", states[:wanted])
    half = wanted // 2
    write(options.out / "skat_ending.txt.gz", endings(mixed(kinds["suit"][:half], kinds["grand"][:half])))


def mixed(first: list[State], second: list[State]) -> list[State]:
    """Copies of both, in turn."""
    return [state.clone() for pair in zip(first, second, strict=True) for state in pair]


def endings(states: list[State]) -> list[State]:
    """The games as `rule` plays them on until three tricks are left."""
    game, rule = get_game("skat"), make_agent("rule", "skat")
    plays = (game.place_sizes[0] - 3) * len(game.seats)
    rngs = [[np.random.default_rng(0)] * len(game.seats)] * len(states)
    play_games(
        states,
        [[rule] * len(game.seats)] * len(states),
        rngs,
        until=lambda state: state.is_over or len(state.plays()) >= plays,
    )
    return states


def write(path: Path, states: list[State]) -> None:
    """Writes the positions, a line each; the same states give the same bytes."""
    text = "".join(f"{state.text()}\n" for state in states)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    run_benchmark(main, Options)
