"""Speed of the open-card solver of Klaverjas, one deal at a time with empty tables, one thread.

python -m benchmarks.speed.klaverjas_solver [--shared DIR] [--out results/klaverjas_solver_speed.json]

The deals are recorded ones from the table in the folder of `--shared`, with the trumps and the declarer that people
chose and a random forehand; without that table they are random. Rotterdam rules, eight tricks. Times are CPU times of a
call from Python. A node is a position between tricks that is looked up in a table.
"""

import csv
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np

from benchmarks.harness import SHARED, Kept, keep, print_table, run_benchmark
from skat_env.cards import SUITS, mask_of, parse_card
from skat_env.deal import Deal
from skat_env.klaverjas import KlaverjasState
from skat_env.options import Count, Seed
from skat_env.solvers.klaverjas import Aim, Question, Solver
from skat_env.tools.progress import progress_bar


@dataclass
class Options(Kept):
    """Speed of the open-card solver of Klaverjas, one deal at a time with empty tables, one thread."""

    shared: Path = SHARED
    """Folder with the recorded deals, data/klaverjas/deals.csv."""
    deals: Count = 1000
    """Number of deals to solve, from the first on."""
    seed: Seed = 0
    """Seed of the forehands, and of random deals."""


@dataclass
class Figure:
    """One row of the table; times in milliseconds."""

    aim: str
    deals: int
    mean: float
    median: float
    p99: float
    max: float
    nodes: float
    """Mean number of positions looked up in a table."""
    nodes_p99: float
    values: int
    """Sum of the values, as a check."""


def recorded_deals(path: Path, deals: int, rng: np.random.Generator) -> list[KlaverjasState]:
    """The first deals of a table."""
    states = []
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            hands = [mask_of(parse_card(card) for card in row[f"hand{seat}"].split()) for seat in range(4)]
            states.append(
                KlaverjasState.new(
                    Deal(tuple(hands)),
                    forehand=int(rng.integers(4)),
                    declarer=int(row["declarer"]),
                    trump=SUITS.index(row["trump"]),
                )
            )
            if len(states) == deals:
                break
    return states


def measure(aim: Aim, states: Sequence[KlaverjasState]) -> Figure:
    """Times the solution of every deal."""
    solver = Solver()
    question = Question(aim)
    solver.solve(states[0], question)  # allocates the tables, which each question empties
    times, nodes, values = [], [], 0
    with progress_bar(aim, len(states)) as advance:
        for done, state in enumerate(states, start=1):
            started = time.process_time()
            solution = solver.solve(state, question)
            times.append(1e3 * (time.process_time() - started))
            nodes.append(solution.nodes)
            assert solution.value is not None
            values += solution.value
            advance(done)
    median, p99 = map(float, np.percentile(times, (50, 99)))
    mean, longest = float(np.mean(times)), max(times)
    nodes_mean, nodes_p99 = float(np.mean(nodes)), float(np.percentile(nodes, 99))
    return Figure(aim, len(states), mean, median, p99, longest, nodes_mean, nodes_p99, values)


def show(figures: list[Figure]) -> None:
    """Prints the table."""
    rows = [
        (
            f.aim,
            f.deals,
            *(f"{value:.2f}" for value in (f.mean, f.median, f.p99, f.max)),
            f"{f.nodes:,.0f}",
            f"{f.nodes_p99:,.0f}",
        )
        for f in figures
    ]
    print_table(("CPU ms per deal", "deals", "mean", "median", "p99", "max", "nodes", "p99"), rows)


def main(options: Options) -> None:
    """Prints the table and writes the figures."""
    path = options.shared / "data" / "klaverjas" / "deals.csv"
    rng = np.random.default_rng(options.seed)
    if path.exists():
        states = recorded_deals(path, options.deals, rng)
    else:
        print(f"{path} is not there: random deals")
        states = [KlaverjasState.random(rng) for _ in range(options.deals)]
    figures = [measure(aim, states) for aim in get_args(Aim)]
    show(figures)
    keep(options, figures=figures)


if __name__ == "__main__":
    run_benchmark(main, Options)
