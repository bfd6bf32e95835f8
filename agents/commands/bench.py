"""`skat-env bench train|report|tasks`: the benchmark of learning."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from rich.box import SIMPLE_HEAD
from rich.table import Table
from tyro.conf import OmitSubcommandPrefixes, Positional, arg, subcommand

from skat_env.agents.bench.drawing import draw_report
from skat_env.agents.bench.learner import load_learner
from skat_env.agents.bench.report import Report, read_runs, write_report
from skat_env.agents.bench.run import POINTS, Plan, run_all
from skat_env.agents.bench.task import TASKS, get_task
from skat_env.options import Count, Seed, check_fields
from skat_env.tools.console import Console
from skat_env.tools.extras import require_figures
from skat_env.tools.files import with_ending
from skat_env.tools.interrupts import stopped
from skat_env.tools.workers import Workers


@dataclass
class Train:
    """Train a learner on a task with some seeds, and measure it at fixed points.

    Example: skat-env bench train examples/learners/ppo.py --task SkatSuit-v0 --seeds 3 --out results/bench

    The same command goes on where it was stopped; the same seed gives the same curve. With several workers seeds learn
    side by side.
    """

    learner: Annotated[Positional[Path], arg(metavar="LEARNER")]
    """The Python file of the learner."""
    task: str
    """The task to learn; `skat-env bench tasks` lists them."""
    out: Path
    """The folder of the runs; a run is in OUT/LEARNER/TASK/SEED."""
    seeds: Count = 1
    """The number of seeds, from 0."""
    first_seed: Seed = 0
    """The first seed."""
    steps: Count | None = None
    """Decisions to learn from. Default: the task's budget."""
    seconds: Count | None = None
    """The processor's seconds of learning; the first measurement after them is the last. Default: the task's budget."""
    points: Count = POINTS
    """Measurements, the one before any learning not counted."""
    deals: Count | None = None
    """Deals of a measurement. Default: all of the task's."""
    set: tuple[str, ...] = ()
    """Options of the learner to change, such as learning_rate=3e-4."""
    name: str | None = None
    """The name of the learner in reports. Default: that of its file."""
    keep: bool = True
    """Keep what was learnt: the agent learner(OUT/LEARNER/TASK/SEED) plays by it in matches and ladders."""
    workers: Annotated[Workers, arg(name="")] = Workers()

    def run(self) -> int:
        """Trains and returns the exit status."""
        check_fields(self, "bench train")
        learner, task = load_learner(self.learner), get_task(self.task)
        plans = [
            Plan(learner, task, seed, self.set, self.steps, self.points, self.deals, self.name, self.seconds)
            for seed in range(self.first_seed, self.first_seed + self.seeds)
        ]
        folder = self.out / plans[0].title / task.id
        try:
            run_all(plans, folder, self.workers, self.keep)
        except KeyboardInterrupt:
            return stopped(None, True)
        Report(read_runs([folder])).print_on(Console())
        print(f"written to {folder}")
        return 0


@dataclass
class Compare:
    """Compare all finished runs in some folders: a table, curves and figures as JSON.

    Example: skat-env bench report results/bench --out results/bench/report
    """

    folders: Annotated[Positional[tuple[Path, ...]], arg(metavar="FOLDER")]
    """Folders of runs."""
    out: Path
    """Where to write, without .json and .png."""

    def run(self) -> int:
        """Writes the report and returns the exit status."""
        require_figures("")
        report = Report(read_runs(self.folders))
        self.out.parent.mkdir(parents=True, exist_ok=True)
        write_report(report, with_ending(self.out, ".json"))
        draw_report(report, with_ending(self.out, ".png"))
        report.print_on(Console())
        print(f"written to {self.out}.json and .png")
        return 0


@dataclass
class Tasks:
    """List the tasks.

    Example: skat-env bench tasks
    """

    def run(self) -> int:
        """Prints a row for each task; returns the exit status."""
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for column in ("task", "what is learnt", "steps", "seconds", "digest"):
            table.add_column(column, justify="right" if column in ("steps", "seconds") else "left")
        for task in TASKS.values():
            table.add_row(task.id, task.words, f"{task.steps:,}", f"{task.seconds:,}", task.digest)
        Console().print(table)
        return 0


@dataclass
class Bench:
    """The benchmark of learning: train learners on standard tasks, and compare them.

    Example: skat-env bench train examples/learners/ppo.py --task SkatSuit-v0 --out results/bench
    """

    command: OmitSubcommandPrefixes[
        Annotated[Train, subcommand("train")]
        | Annotated[Compare, subcommand("report")]
        | Annotated[Tasks, subcommand("tasks")]
    ]

    def run(self) -> int:
        """Runs the subcommand and returns the exit status."""
        return self.command.run()
