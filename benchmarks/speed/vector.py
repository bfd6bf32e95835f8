"""Steps per second of the vector environment by threads, and of getting what it writes into tensors of torch.

python -m benchmarks.speed.vector [--games 16384] [--threads 1 2] [--steps 100] [--device cpu] [--out FILE.json]

Every step of a row is timed in turn with the other rows', on the wall clock; medians count. `new arrays` is
`copy=True`; `buffers` is `copy=False`. A row of tensors ends when observation, mask, player, rewards and ends are
tensors on the device: `torch.tensor` copies arrays into them, `torch.from_numpy` shares memory, and `pinned` are shared
buffers from which a device reads without a copy in between.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from skat_env.envs.vector import SelfPlayVector, VectorStep
from skat_env.options import Count, Threads
from skat_env.registry import game_names
from skat_env.tools.progress import progress_bar


@dataclass
class Options(Kept):
    """Steps per second of the vector environment."""

    games: Count = 16384
    """Games stepped at once."""
    threads: tuple[Threads, ...] = (1, 2)
    """Numbers of threads to measure."""
    steps: Count = 100
    """Steps of all games, for each row."""
    device: str = "cpu"
    """Where tensors are wanted, as torch names it."""


@dataclass(frozen=True)
class Figure:
    """One row of the table."""

    game: str
    row: str
    threads: int
    million_per_second: float
    """Million steps per second: the games of a step over its median seconds."""


def copied(step: VectorStep, device: str) -> list[torch.Tensor]:
    """Tensors of their own memory."""
    return [torch.tensor(getattr(step, name), device=device) for name in step.__slots__]


def shared(step: VectorStep, device: str) -> list[torch.Tensor]:
    """Tensors in the memory of the arrays, if the device is the processor."""
    return [torch.from_numpy(getattr(step, name)).to(device, non_blocking=True) for name in step.__slots__]


def pinned(shape: tuple[int, ...], dtype: Any) -> Any:
    """An array in memory that a device reads by itself."""
    plain = torch.from_numpy(np.empty(0, dtype)).dtype
    return torch.empty(shape, dtype=plain, pin_memory=True).numpy()


def work(options: Options, game: str, threads: int, made: str, tensors: Any) -> Callable[[], float]:
    """A function that does one step and returns its seconds; choosing actions is not timed."""
    allocate = pinned if made == "pinned" else None
    env = SelfPlayVector(game, options.games, threads=threads, copy=made == "new arrays", allocate=allocate)
    rng = np.random.default_rng(0)
    step = env.reset(seed=0)

    def once() -> float:
        nonlocal step
        actions = (rng.random(step.action_mask.shape, dtype=np.float32) * step.action_mask).argmax(axis=1)
        started = time.perf_counter()
        step = env.step(actions)
        if tensors is not None:
            tensors(step, options.device)
            if options.device != "cpu":
                torch.cuda.synchronize()
        return time.perf_counter() - started

    return once


def main(options: Options) -> None:
    """Prints the table and writes the figures."""
    kinds: list[tuple[str, str, Any]] = [
        ("new arrays", "new arrays", None),
        ("buffers", "buffers", None),
        ("new arrays, torch.tensor", "new arrays", copied),
        ("buffers, torch.from_numpy", "buffers", shared),
    ]
    if torch.cuda.is_available():
        kinds.append(("pinned buffers, torch.from_numpy", "pinned", shared))
    rows = [
        (game, name, threads, work(options, game, threads, made, tensors))
        for game in game_names()
        for name, made, tensors in kinds
        for threads in options.threads
    ]
    seconds: list[list[float]] = [[] for _ in rows]
    with progress_bar("steps", options.steps) as advance:
        for number in range(options.steps):
            for row, spent in zip(rows, seconds, strict=True):
                spent.append(row[-1]())
            advance(number + 1)
    figures = [
        Figure(*row[:-1], options.games / statistics.median(spent) / 1e6)
        for row, spent in zip(rows, seconds, strict=True)
    ]
    cells = []
    for game, name in dict.fromkeys((each.game, each.row) for each in figures):
        rates = [each.million_per_second for each in figures if (each.game, each.row) == (game, name)]
        cells.append((game, name, *(f"{rate:.2f}" for rate in rates)))
    titles = ("game", "million steps per second", *(f"threads {threads}" for threads in options.threads))
    print_table(titles, cells, left=2)
    keep(options, figures=figures)


if __name__ == "__main__":
    run_benchmark(main, Options)
