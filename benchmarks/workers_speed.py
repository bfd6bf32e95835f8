"""Pieces of work done a second by the number of workers: what handing them out costs, and how far it goes.

python benchmarks/workers_speed.py [--backend ray] [--counts 1 2 4 8 16] [--seconds 0.1] [--pieces 40] [--out FILE.json]

A piece sleeps, so that workers need no processors of their own and a laptop shows what a cluster would do. The share is
that of the best possible: `seconds` for each piece and worker, and nothing else. The CPU time is of the process that
hands out the pieces; its inverse is the number of pieces a second, with any number of workers, at which that process is
busy.
"""

import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import tyro
from rich.box import SIMPLE_HEAD
from rich.table import Table

from skat_env.tools.console import Console
from skat_env.tools.provenance import write_result
from skat_env.tools.workers import Backend, Workers, map_unordered


@dataclass
class Options:
    """Pieces of work done a second by the number of workers."""

    backend: Backend = "processes"
    """Where the workers run; ray starts a cluster of its own, with as many processors as there are workers."""
    counts: tuple[int, ...] = (1, 2, 4, 8, 16)
    """Numbers of workers to measure."""
    seconds: float = 0.1
    """What a piece takes."""
    pieces: int = 40
    """Pieces for each worker."""
    out: Path | None = None
    """Result file."""


@dataclass
class Figures:
    """What some workers did."""

    workers: int
    pieces_a_second: float
    share: float
    """Of the best possible."""
    cpu_ms: float
    """CPU milliseconds a piece of the process that hands them out."""


def measure(options: Options, workers: int) -> Figures:
    """Has some workers do their pieces, once they are all there."""
    asked = Workers(workers, options.backend)
    sleeps = [options.seconds] * options.pieces * workers
    done = map_unordered(time.sleep, [max(2.0, 4 * options.seconds)] * workers + sleeps, asked)
    for _ in range(workers):
        next(done)
    began, used = time.perf_counter(), time.process_time()
    pieces = sum(1 for _ in done)
    seconds, cpu = time.perf_counter() - began, time.process_time() - used
    speed = pieces / seconds
    return Figures(workers, speed, speed * options.seconds / workers, 1000 * cpu / pieces)


def main() -> None:
    """Measures, prints the table and writes the result."""
    options = tyro.cli(Options, description=__doc__)
    if options.backend == "ray":
        import ray

        ray.init(num_cpus=max(options.counts), include_dashboard=False, log_to_driver=False)
    found = [measure(options, workers) for workers in options.counts]
    table = Table("workers", "pieces/s", "of the best", "CPU ms a piece", box=SIMPLE_HEAD)
    for each in found:
        table.add_row(
            str(each.workers), f"{each.pieces_a_second:.1f}", f"{each.share:.1%}", f"{each.cpu_ms:.2f}"
        )
    Console().print(table)
    busy = math.floor(1000 / min(each.cpu_ms for each in found))
    print(
        f"one process hands out up to {busy} pieces a second: {busy * options.seconds:.0f} workers of this kind"
    )
    if options.out is not None:
        facts = asdict(options) | {"out": str(options.out)}
        write_result(options.out, {"options": facts, "figures": [asdict(each) for each in found]})


if __name__ == "__main__":
    main()
