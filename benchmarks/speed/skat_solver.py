"""Speed of the open-card solver of Skat, one deal at a time with an empty table, one thread.

python -m benchmarks.speed.skat_solver [--shared DIR] [--out results/solver_speed.json]

The deals are the open-card deals in the folder of `--shared`, whose values are checked; a yardstick solver in C++ from
the same folder is compiled and timed on them in the same run. Without that folder they are random deals that `rule`
declares. Times are wall-clock times of a call from Python. A node is a position between tricks that is looked up in the
table.
"""

import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import SHARED, Kept, keep, print_table, run_benchmark
from skat_env.options import Count, Seed
from skat_env.play.starts import draw_starts, start_source
from skat_env.skat import GAME as SKAT
from skat_env.skat import SkatState
from skat_env.skat.rules import Contract
from skat_env.solvers.open_card import OpenCardLine, read_open_card_lines
from skat_env.solvers.skat import Question, Solver
from skat_env.solvers.skat.position import OpenPosition
from skat_env.tools.progress import progress_bar
from skat_env.tools.workers import processors

KINDS = ("suit", "grand", "null")
QUESTIONS = {
    "decision": {"suit": Question(target=61), "grand": Question(target=61), "null": Question(target=1)},
    "exact": {"suit": Question(), "grand": Question()},
}


@dataclass
class Options(Kept):
    """Speed of the open-card solver of Skat, one deal at a time with an empty table, one thread."""

    shared: Path = SHARED
    """Folder with data/skat/open_card.jsonl and tools/open_card_yardstick.cpp."""
    yardstick: bool = True
    """Also compile and time the yardstick, if it exists."""
    deals: Count = 150
    """Number of random deals of each kind, if there are no others."""
    seed: Seed = 0
    """Seed of the random deals."""


@dataclass
class Yardstick:
    """The figures of the yardstick, in the same units."""

    mean: float
    median: float
    p99: float
    nodes: float


@dataclass
class Figure:
    """One row of the table; times in milliseconds."""

    kind: str
    question: str
    deals: int
    mean: float
    median: float
    p95: float
    p99: float
    max: float
    nodes: float
    """Mean number of positions looked up in the table."""
    yardstick: Yardstick | None = None


@dataclass
class Scaling:
    """The speed of `solve_many` on several threads."""

    threads: int
    seconds: float
    speedup: float


def kind_of(position: OpenPosition | SkatState) -> str:
    """`suit`, `grand` or `null`."""
    if position.contract == Contract.GRAND:
        return "grand"
    return "null" if position.contract == Contract.NULL else "suit"


def measure(kind: str, question: str, lines: Sequence[OpenCardLine[Any]]) -> Figure:
    """Times the solution of every deal, and checks its value if it is known."""
    asked = QUESTIONS[question][kind]
    solver = Solver()
    solver.solve(lines[0].position, asked)  # allocates the table, which each question empties
    times, nodes = [], []
    for line in lines:
        position = line.position
        started = time.perf_counter()
        solution = solver.solve(position, asked)
        times.append(1e3 * (time.perf_counter() - started))
        nodes.append(solution.nodes)
        if line.value is not None:
            if asked.target is None:
                assert solution.value == line.value, line
            else:
                assert solution.reaches(asked.target) == (line.value >= asked.target), line
    median, p95, p99 = map(float, np.percentile(times, (50, 95, 99)))
    mean, nodes_mean = float(np.mean(times)), float(np.mean(nodes))
    return Figure(kind, question, len(lines), mean, median, p95, p99, max(times), nodes_mean)


def time_yardstick(source: Path, deals: Path, figures: list[Figure]) -> None:
    """Compiles the yardstick, runs it on the deals and adds its times to the figures."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "yardstick"
        subprocess.run(["g++", "-O3", "-march=native", "-o", str(program), str(source)], check=True)
        with deals.open() as file:
            run = subprocess.run([str(program)], stdin=file, capture_output=True, text=True, check=True)
    pattern = r"(\w+) +(\w+) +deals \d+ +mean +([\d.]+) ms +median +([\d.]+) +p99 +([\d.]+) +nodes (\d+)"
    for kind, question, *numbers in re.findall(pattern, run.stdout):
        for figure in figures:
            if (figure.kind, figure.question) == (kind, question):
                figure.yardstick = Yardstick(*(float(number) for number in numbers))


def scaling(lines: Sequence[OpenCardLine[Any]]) -> list[Scaling]:
    """Exact values of all deals on one thread and on more."""
    positions = [line.position for line in lines]
    rows: list[Scaling] = []
    for threads in sorted({1, 2, processors()}):
        seconds = []
        for _ in range(3):
            solver = Solver()
            started = time.perf_counter()
            solver.solve_many(positions, Question(), threads=threads)
            seconds.append(time.perf_counter() - started)
        best = min(seconds)
        rows.append(Scaling(threads, best, rows[0].seconds / best if rows else 1.0))
    return rows


def show(figures: list[Figure], threads: list[Scaling]) -> None:
    """Prints the tables."""
    titles = ["ms per deal", "deals", "mean", "median", "p95", "p99", "max", "nodes"]
    if any(figure.yardstick for figure in figures):
        titles += ["yardstick", "p99", "nodes", "faster", "p99"]
    rows = []
    for f in figures:
        row = [f"{f.kind} {f.question}", str(f.deals)]
        row += [f"{value:.3f}" for value in (f.mean, f.median, f.p95, f.p99, f.max)]
        row.append(f"{f.nodes:,.0f}")
        if f.yardstick:
            row += [f"{f.yardstick.mean:.3f}", f"{f.yardstick.p99:.3f}", f"{f.yardstick.nodes:,.0f}"]
            row += [f"{f.yardstick.mean / f.mean:.1f}x", f"{f.yardstick.p99 / f.p99:.1f}x"]
        rows.append(row)
    print_table(titles, rows)
    for each in threads:
        print(f"solve_many on {each.threads} threads: {each.seconds:.2f} s, {each.speedup:.2f}x")


def main(options: Options) -> None:
    """Prints the tables and writes the figures."""
    deals = options.shared / "data" / "skat" / "open_card.jsonl"
    source = options.shared / "tools" / "open_card_yardstick.cpp"
    if deals.exists():
        lines = [line for _, line in read_open_card_lines(deals)]
    else:
        print(f"{deals} is not there: random deals that rule declares")
        sources = [start_source(SKAT, "cardplay", "rule", kind=kind) for kind in KINDS]
        lines = [
            OpenCardLine(state)
            for source in sources
            for state in draw_starts(SKAT.name, source, options.deals, options.seed)
        ]
    by_kind = {kind: [line for line in lines if kind_of(line.position) == kind] for kind in KINDS}
    figures = []
    work = [(kind, question) for question, kinds in QUESTIONS.items() for kind in kinds]
    with progress_bar("solving", len(work)) as advance:
        for done, (kind, question) in enumerate(work):
            figures.append(measure(kind, question, by_kind[kind]))
            advance(done + 1)
    if options.yardstick and deals.exists() and source.exists():
        time_yardstick(source, deals, figures)
    threads = scaling(lines)
    show(figures, threads)
    keep(options, figures=figures, solve_many=threads)


if __name__ == "__main__":
    run_benchmark(main, Options)
