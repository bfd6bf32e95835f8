"""Reference curves of the benchmark of learning: every learner on every task, a seed after the other.

python -m benchmarks.quality.learners --out results/bench [--steps 100000] [--seeds 3] [--minutes 60]

The same command goes on where it was stopped; `skat-env bench report results/bench --out ...` compares what is there.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.harness import ROOT, run_benchmark
from skat_env.agents.bench.learner import LearnerFile, load_learner
from skat_env.agents.bench.run import Plan, run
from skat_env.agents.bench.task import TASKS, get_task
from skat_env.errors import ParseError, UnknownName
from skat_env.options import Count
from skat_env.tools.json_file import read_object


@dataclass(frozen=True)
class Entry:
    """A learner of the reference curves: a file, with some of its options changed."""

    name: str
    file: str
    """Its name in `examples/learners`, without `.py`."""
    changes: tuple[str, ...] = ()
    endings: bool = False
    """Whether it learns endings alone."""


LEARNERS: Final = {
    entry.name: entry
    for entry in (
        Entry("ppo", "ppo"),
        Entry("mmd", "ppo", ("magnet=0.05",)),
        Entry("ordered", "ppo", ("ordered=true",)),
        Entry("open_critic", "ppo", ("all_cards=true",)),
        Entry("recurrent_ppo", "ppo", ("recurrent=64",)),
        Entry("against_rule", "ppo", ("against=rule",)),
        Entry("imitation", "ppo", ("teacher=rule",)),
        Entry("maskable_ppo", "maskable_ppo"),
        Entry("torchrl_ppo", "torchrl_ppo"),
        Entry("tianshou_ppo", "tianshou_ppo"),
        Entry("reinforce", "reinforce"),
        Entry("dmc", "dmc"),
        Entry("rnad", "rnad"),
        Entry("nfsp", "nfsp"),
        Entry("deep_cfr", "deep_cfr", endings=True),
    )
}
"""The learners by name."""


@dataclass
class Options:
    """Reference curves of the benchmark of learning."""

    out: Path
    """The folder of the runs; a run is in OUT/LEARNER/TASK/SEED."""
    learners: tuple[str, ...] = tuple(LEARNERS)
    """Names of learners."""
    tasks: tuple[str, ...] = tuple(TASKS)
    """Names of tasks."""
    seeds: Count = 3
    """The number of seeds, from 0."""
    steps: Count = 100_000
    """Decisions of each run."""
    points: Count = 5
    """Measurements of each run, the one before any learning not counted."""
    deals: Count | None = None
    """Deals of a measurement. Default: all of the task's."""
    tuned: Path | None = None
    """The file of `benchmarks.quality.sweep` whose best options are used. Default: the options as they are."""
    minutes: Count | None = None
    """No run begins after so many minutes. Default: all run."""


def chosen(names: Sequence[str]) -> list[Entry]:
    """The learners with some names.

    Raises:
        UnknownName: if there is no such learner.
    """
    for name in names:
        if name not in LEARNERS:
            raise UnknownName("learner", name, LEARNERS)
    return [LEARNERS[name] for name in names]


def file_of(entry: Entry) -> LearnerFile:
    """The file of a learner."""
    return load_learner(ROOT / "examples" / "learners" / f"{entry.file}.py")


def tuned(entry: Entry, path: Path | None) -> tuple[str, ...]:
    """The changed options of a learner: the best of a search, if there is one.

    Raises:
        ParseError: if the file is no search of this learner.
    """
    if path is None:
        return entry.changes
    best = read_object(path, "make it by python -m benchmarks.quality.sweep").get("best", {})
    if entry.name not in best:
        raise ParseError(f"{path} has no search of {entry.name}: expected a file of benchmarks.quality.sweep")
    return tuple(best[entry.name]["changes"])


def curves(options: Options) -> None:
    """Runs what is missing, one seed of all learners and tasks before the next.

    Raises:
        ValueError: if there is no such learner or task.
    """
    entries, tasks = chosen(options.learners), [get_task(name) for name in options.tasks]
    began = time.monotonic()
    for seed in range(options.seeds):
        for task in tasks:
            for entry in entries:
                if entry.endings and not task.endings:
                    continue
                if options.minutes is not None and time.monotonic() - began > 60 * options.minutes:
                    print(f"stopped after {options.minutes} minutes; the same command goes on")
                    return
                plan = Plan(
                    file_of(entry),
                    task,
                    seed,
                    tuned(entry, options.tuned),
                    options.steps,
                    options.points,
                    options.deals,
                    entry.name,
                )
                run(plan, options.out / entry.name / task.id / str(seed), keep=False)


if __name__ == "__main__":
    run_benchmark(curves, Options, is_kept=True)
