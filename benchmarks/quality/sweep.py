"""A random search for the options of the benchmark's learners, of equal size for each.

python -m benchmarks.quality.sweep --out results/bench_sweep.json [--trials 8] [--steps 30000]

Each trial draws options from `VALUES` and learns some tasks with a seed that reference curves do not use; the first one
has the options as they are. It is measured on starts of training that it does not learn from, never on the deals of
evaluations. The same command goes on where it was stopped. `python -m benchmarks.quality.learners --tuned FILE` learns
with the best options.
"""

import dataclasses
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from benchmarks.harness import run_benchmark
from benchmarks.quality.learners import LEARNERS, Entry, chosen, file_of
from skat_env.agents.bench.evaluate import Observing, points, score
from skat_env.agents.bench.task import EVALUATION, EVALUATION_SEED, Task, get_task, shipped
from skat_env.options import Count
from skat_env.play.starts import Positions, RandomDeals, StartSource
from skat_env.tools.json_file import read_object
from skat_env.tools.progress import progress_bar
from skat_env.tools.provenance import write_result

FIRST_SEED: Final = 1000
"""Of trials; reference curves have seeds from 0."""
HELD_OUT: Final = 8
"""One in so many starts of training is kept for the measurement of trials."""
VALUES: Final[dict[str, tuple[Any, ...]]] = {
    "learning_rate": (1e-4, 2e-4, 5e-4, 1e-3, 2e-3),
    "hidden": (64, 128, 256),
    "games": (64, 128, 256, 512),
    "batch": (128, 256, 512, 1024),
    "epochs": (1, 2, 4, 8),
    "entropy": (0.001, 0.003, 0.01, 0.03),
    "gae_lambda": (0.8, 0.9, 0.95, 1.0),
    "clip": (0.1, 0.2, 0.3),
    "magnet": (0.02, 0.05, 0.1, 0.2),
    "recurrent": (32, 64, 128),
    "horizon": (16, 32, 64),
    "explore": (0.02, 0.05, 0.1),
    "eta": (0.01, 0.02, 0.05, 0.1),
    "hold": (5, 20, 50),
    "anticipatory": (0.1, 0.2, 0.4),
    "reuse": (1.0, 2.0, 4.0),
    "refresh": (30, 100, 300),
}
"""The values that are drawn from, by option; others stay as they are, and so do options that are off (0)."""


@dataclass(frozen=True)
class Rehearsal(Task):
    """A task with the starts of its training alone: most to learn from, the others to be measured on."""

    @classmethod
    def of(cls, task: Task) -> "Rehearsal":
        """The rehearsal of a task."""
        return cls(**{field.name: getattr(task, field.name) for field in dataclasses.fields(task)})

    def start_source(self) -> StartSource:
        """Where games of training begin."""
        if not self.starts:
            return RandomDeals(self.game, self.rule_options)
        return Positions([state for number, state in enumerate(self._states()) if number % HELD_OUT])

    def evaluation_starts(self) -> list[Any]:
        """The starts of a measurement, at most as many as those of the task's evaluation."""
        if self.starts:
            return [state.clone() for state in self._states()[::HELD_OUT]][:EVALUATION]
        deals = RandomDeals(self.game, self.rule_options)
        return [deals(np.random.default_rng([EVALUATION_SEED + 1, number])) for number in range(EVALUATION)]

    def _states(self) -> list[Any]:
        """The starts of training, all kinds mixed."""
        states = [
            state for kind, count in self.starts.items() for state in shipped(self.game, kind)[0][:count]
        ]
        return [states[number] for number in np.random.default_rng(FIRST_SEED).permutation(len(states))]


@dataclass
class Options:
    """A random search for the options of the benchmark's learners."""

    out: Path
    """The JSON file of the trials."""
    learners: tuple[str, ...] = tuple(LEARNERS)
    """Names of learners."""
    tasks: tuple[str, ...] = ("SkatSuit-v0", "SkatEnding-v0", "KlaverjasCards-v0")
    """Names of tasks; the best trial is that of the highest mean of scores."""
    trials: Count = 8
    """Trials of each learner."""
    steps: Count = 30_000
    """Decisions of each trial on each task."""
    deals: Count = 512
    """Deals of a measurement."""


def changes_of(entry: Entry, trial: int) -> tuple[str, ...]:
    """The changed options of a trial of a learner, drawn by its name and the trial's number; of the first, its own."""
    options = dataclasses.asdict(file_of(entry).options(entry.changes))
    rng = np.random.default_rng([FIRST_SEED + trial, *entry.name.encode()])
    drawn = {name: values[rng.integers(len(values))] for name, values in VALUES.items() if options.get(name)}
    if not trial:
        return entry.changes
    kept = [change for change in entry.changes if change.split("=")[0] not in drawn]
    return (*kept, *(f"{name}={value}" for name, value in drawn.items()))


def measured(entry: Entry, trial: int, options: Options) -> dict[str, Any]:
    """A trial: what was changed, scores by task, and the processor's seconds of learning."""
    changes, file = changes_of(entry, trial), file_of(entry)
    scores, seconds = {}, 0.0
    for name in options.tasks:
        task = Rehearsal.of(get_task(name))
        if entry.endings and not task.endings:
            continue
        learner = file.make(task, file.options(changes), FIRST_SEED + trial)
        began = time.process_time()
        learner.learn(options.steps, FIRST_SEED + trial)
        seconds += time.process_time() - began
        got = points(task, Observing(learner), options.deals)
        scores[name] = round(score(task, float(got.mean())), 4)
    return {
        "learner": entry.name,
        "trial": trial,
        "changes": changes,
        "scores": scores,
        "mean": round(float(np.mean(list(scores.values()))), 4),
        "cpu_seconds": round(seconds, 1),
    }


def search(options: Options) -> int:
    """Makes the trials that are missing; returns 0.

    Raises:
        ValueError: if there is no such learner or task, or the file is of another search.
    """
    endings = any(get_task(name).endings for name in options.tasks)
    entries = [entry for entry in chosen(options.learners) if endings or not entry.endings]
    asked = {
        "tasks": {name: get_task(name).digest for name in options.tasks},
        "steps": options.steps,
        "deals": options.deals,
        "values": json.loads(json.dumps(VALUES)),
    }
    trials: list[dict[str, Any]] = []
    if options.out.exists():
        kept = read_object(options.out, "name another file")
        if different := [name for name, value in asked.items() if kept.get(name) != value]:
            raise ValueError(f"{options.out} has other {different[0]}: expected the same, or another file")
        trials = kept["trials"]
    done = {(each["learner"], each["trial"]) for each in trials}
    missing = [
        (entry, trial)
        for trial in range(options.trials)
        for entry in entries
        if (entry.name, trial) not in done
    ]
    with progress_bar("trials", len(missing)) as progress:
        for number, (entry, trial) in enumerate(missing):
            trials.append(measured(entry, trial, options))
            spent = round(sum(each["cpu_seconds"] for each in trials), 1)
            write_result(options.out, {**asked, "cpu_seconds": spent, "best": best(trials), "trials": trials})
            progress(number + 1)
    for name, found in best(trials).items():
        print(
            f"{name:14} {found['mean']:6.2f} (as it is {found['first']:6.2f})  {', '.join(found['changes'])}"
        )
    return 0


def best(trials: list[dict[str, Any]]) -> dict[str, Any]:
    """By learner: the changes and the mean of its best trial, the mean of its first, and how many there were."""
    found: dict[str, Any] = {}
    for name in dict.fromkeys(each["learner"] for each in trials):
        own = sorted((each for each in trials if each["learner"] == name), key=lambda each: each["trial"])
        top = max(own, key=lambda each: each["mean"])
        found[name] = {
            "changes": top["changes"],
            "mean": top["mean"],
            "first": own[0]["mean"],
            "trials": len(own),
        }
    return found


if __name__ == "__main__":
    run_benchmark(search, Options, is_kept=True)
