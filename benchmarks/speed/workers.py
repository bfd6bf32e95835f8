"""Pieces of work done per second by the number of workers: what handing them out costs, and how far it goes.

python -m benchmarks.speed.workers [--backend ray] [--counts 1 2 4 8 16] [--seconds 0.1] [--pieces 40] [--out FILE.json]

A piece sleeps, so that workers need no processors of their own and a laptop shows what a cluster would do. The share is
that of the best possible: `seconds` for each piece and worker, and nothing else. The CPU time is of the process that
hands out the pieces; its inverse is the number of pieces per second that keep that process busy.
"""

import math
import time
from dataclasses import dataclass

from benchmarks.harness import Kept, Seconds, keep, print_table, run_benchmark
from skat_env.options import Count
from skat_env.tools.workers import Backend, Workers, map_unordered


@dataclass
class Options(Kept):
    """Pieces of work done per second by the number of workers."""

    backend: Backend = "processes"
    """Where the workers run; ray starts a cluster of its own, with as many processors as there are workers."""
    counts: tuple[Count, ...] = (1, 2, 4, 8, 16)
    """Numbers of workers to measure."""
    seconds: Seconds = 0.1
    """What a piece takes."""
    pieces: Count = 40
    """Pieces for each worker."""


@dataclass
class Figures:
    """What some workers did."""

    workers: int
    pieces_per_second: float
    share: float
    """Of the best possible."""
    cpu_ms: float
    """CPU milliseconds per piece of the process that hands them out."""


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


def main(options: Options) -> None:
    """Measures, prints the table and writes the result."""
    if options.backend == "ray":
        import ray

        ray.init(num_cpus=max(options.counts), include_dashboard=False, log_to_driver=False)
    found = [measure(options, workers) for workers in options.counts]
    rows = [
        (each.workers, f"{each.pieces_per_second:.1f}", f"{each.share:.1%}", f"{each.cpu_ms:.2f}")
        for each in found
    ]
    print_table(("workers", "pieces per second", "of the best", "CPU ms per piece"), rows)
    busy = math.floor(1000 / min(each.cpu_ms for each in found))
    print(
        f"one process hands out up to {busy} pieces per second: {busy * options.seconds:.0f} workers of this kind"
    )
    keep(options, figures=found)


if __name__ == "__main__":
    run_benchmark(main, Options)
