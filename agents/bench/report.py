"""Curves of the benchmark: which learner is better on which task, over steps and over the processor's time."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.table import Table

from skat_env.agents.bench.run import RESULT, Point
from skat_env.agents.bench.task import TASKS
from skat_env.errors import OptionError, ParseError
from skat_env.options import Seed, check_array, checked_options, shown
from skat_env.tools.console import Console, Printed
from skat_env.tools.json_file import read_object

RESAMPLES: Final = 2000
TRIMMED: Final = 0.25
"""The share left out at each end of an interquartile mean (Agarwal et al. 2021)."""
COMPARED: Final = ("task_digest", "steps", "points", "deals", "learner_digest", "options")
"""What runs of one learner on one task have in common."""
NEEDED: Final = ("learner", "task", "seed", "curve", "cpu_seconds", "yardstick_seconds", *COMPARED)
"""What the result of a run says."""


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of one learner on one task, a seed each."""

    learner: str
    task: str
    steps: NDArray[np.float64]
    """float64 [points]: decisions learnt from, the mean over seeds."""
    seconds: NDArray[np.float64]
    """float64 [points]: the processor's seconds of learning, in yardsticks of each run's machine."""
    scores: NDArray[np.float64]
    """float64 [seeds, points] on the task's scale."""
    means: NDArray[np.float64]
    """float64 [seeds, points] in points per deal."""
    exploitability: NDArray[np.float64] | None = None
    """float64 [seeds, points] in points per ending; None: the task has none."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A statistic of scores over seeds, with its 95% interval by bootstrap over seeds within each task."""

    value: float
    low: float
    high: float

    def text(self) -> str:
        """The statistic as text: `0.42 [0.38, 0.47]`; of one seed without an interval."""
        return f"{self.value:.2f}" + ("" if np.isnan(self.low) else f" [{self.low:.2f}, {self.high:.2f}]")


@checked_options("a report of the benchmark")
def read_runs(folders: Sequence[Path]) -> list[Runs]:
    """The finished runs in some folders and below them, by learner and task.

    Raises:
        OptionError: if there are no folders.
        ParseError: if there are no runs, a task has changed since, or runs of one learner and task differ in more than
            their seed.
    """
    if not folders:
        raise OptionError("a report of the benchmark with folders=[]: expected one or more")
    found: dict[tuple[str, str], dict[int, tuple[Mapping[str, Any], _Measured]]] = defaultdict(dict)
    paths = sorted(path for folder in folders for path in folder.rglob(RESULT))
    if not paths:
        raise ParseError(
            f"no finished run in {', '.join(map(str, folders))}: expected a folder of skat-env bench train"
        )
    for path in paths:
        result = read_object(path, "name folders of skat-env bench train")
        if missing := [name for name in NEEDED if name not in result]:
            raise ParseError(
                f"{path} is no run of the benchmark, it has no '{missing[0]}': expected folders of skat-env bench train"
            )
        key = (str(result["learner"]), str(result["task"]))
        if key[1] not in TASKS or result["task_digest"] != TASKS[key[1]].digest:
            raise ParseError(f"{path} is of another version of the task {key[1]}: its scores do not compare")
        measured = _measured(path, result)
        for other, _ in found[key].values():
            if different := [name for name in COMPARED if result[name] != other[name]]:
                raise ParseError(
                    f"{path} differs from other runs of {key[0]} on {key[1]} in {', '.join(different)}"
                )
        if measured.seed in found[key]:
            raise ParseError(f"{path} has the same learner, task and seed as another run: expected each once")
        found[key][measured.seed] = result, measured
    return [
        _runs(*key, [results[seed][1] for seed in sorted(results)]) for key, results in sorted(found.items())
    ]


@dataclass(frozen=True, slots=True)
class _Measured:
    """What a run measured."""

    seed: int
    curve: list[Point]
    yardsticks: list[float]
    """The processor's seconds of learning up to each point, in those of the machine's yardstick."""


def _measured(path: Path, result: Mapping[str, Any]) -> _Measured:
    """What the result of a run measured.

    Raises:
        ParseError: if it is damaged.
    """
    try:
        curve = [Point(**point) for point in result["curve"]]
        seconds = [float(each) / float(result["yardstick_seconds"]) for each in result["cpu_seconds"]]
        numbers = [number for point in curve for number in (point.steps, point.mean, point.score)]
        if TASKS[result["task"]].endings:
            numbers += [cast(float, point.exploitability) for point in curve]
        if not curve or len(seconds) != len(curve):
            raise ParseError(f"{len(curve)} points and {len(seconds)} times of them")
        if not all(map(math.isfinite, (*numbers, *seconds))):
            raise ParseError("a number is not finite")
        return _Measured(int(result["seed"]), curve, seconds)
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ParseError(f"{path} is damaged: {error}") from None


def _runs(learner: str, task: str, runs: Sequence[_Measured]) -> Runs:
    # Seeds whose seconds were spent early have fewer points: what all have is compared.
    points = min(len(run.curve) for run in runs)

    def column(name: str) -> NDArray[np.float64]:
        return np.array([[getattr(point, name) for point in run.curve[:points]] for run in runs], np.float64)

    seconds = np.array([run.yardsticks[:points] for run in runs])
    exploited = column("exploitability") if TASKS[task].endings else None
    return Runs(
        learner, task, column("steps").mean(0), seconds.mean(0), column("score"), column("mean"), exploited
    )


@checked_options("an interquartile mean")
def interquartile_mean(scores: Sequence[Any], seed: Seed = 0) -> Interval:
    """The mean of the middle half of all scores, float64 [seeds] of each task.

    Its interval is a stratified bootstrap: seeds are drawn anew within their task (Agarwal et al. 2021).
    """
    from scipy.stats import trim_mean

    given = _checked("an interquartile mean", scores)
    value = float(trim_mean(np.concatenate(given), TRIMMED))
    if min(map(len, given)) < 2:
        return Interval(value, np.nan, np.nan)
    low, high = np.quantile(trim_mean(_drawn(given, seed), TRIMMED, axis=1), (0.025, 0.975))
    return Interval(value, float(low), float(high))


@checked_options("a performance profile")
def performance_profile(scores: Sequence[Any], thresholds: Any, seed: Seed = 0) -> NDArray[np.float64]:
    """The share of runs whose score is above each threshold (Agarwal et al. 2021, section 4.2).

    Its interval is a stratified bootstrap, as that of `interquartile_mean`.

    Args:
        scores: float64 [seeds] of each task.
        thresholds: float64 [n].
        seed: of the bootstrap.

    Returns:
        float64 [3, n]: the share and the ends of its 95% interval.

    Raises:
        OptionError: if there are no scores of a task, or these are no numbers.
    """
    given = _checked("a performance profile", scores)
    above = check_array("a performance profile", "thresholds", np.float64, thresholds)
    shares = np.array([(np.concatenate(given) > score).mean() for score in above])
    drawn = _drawn(given, seed)
    resampled = np.array([(drawn > score).mean(1) for score in above]).reshape(len(above), len(drawn))
    return np.array([shares, *np.quantile(resampled, (0.025, 0.975), axis=1)])


def _checked(owner: str, scores: Sequence[Any]) -> list[NDArray[np.float64]]:
    """The scores of each task as arrays."""
    arrays = [check_array(owner, "scores", np.float64, each) for each in scores]
    if not all(map(len, arrays)) or not arrays:
        raise OptionError(f"{owner} with scores={shown(scores)}: expected one or more of each task")
    return arrays


def _drawn(scores: Sequence[NDArray[np.float64]], seed: int) -> NDArray[np.float64]:
    """All scores with the seeds of each task drawn anew, `RESAMPLES` times: float64 [RESAMPLES, runs]."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.choice(each, (RESAMPLES, len(each))) for each in scores], 1)


class Report(Printed):
    """The runs of some folders, compared.

    Args:
        runs: as `read_runs` gives them.
    """

    def __init__(self, runs: Sequence[Runs]) -> None:
        self.runs = list(runs)
        self.tasks = [name for name in TASKS if any(each.task == name for each in runs)]
        self.learners = sorted({each.learner for each in runs})

    def of(self, learner: str, task: str) -> Runs | None:
        """The runs of a learner on a task."""
        return next((each for each in self.runs if (each.learner, each.task) == (learner, task)), None)

    def last_scores(self, learner: str, tasks: Sequence[str]) -> list[NDArray[np.float64]] | None:
        """A learner's last scores on some tasks, float64 [seeds] each; None if it lacks one of them."""
        found = [each for each in (self.of(learner, task) for task in tasks) if each is not None]
        return [each.scores[:, -1] for each in found] if len(found) == len(tasks) else None

    def final(self, learner: str, tasks: Sequence[str]) -> Interval | None:
        """The interquartile mean of a learner's last scores on some tasks; None if it lacks one of them."""
        scores = self.last_scores(learner, tasks)
        return None if scores is None else interquartile_mean(scores)

    def exploited(self, learner: str, task: str) -> Interval | None:
        """The interquartile mean of what best responses win from a learner in the end; None if that is not known."""
        runs = self.of(learner, task)
        if runs is None or runs.exploitability is None:
            return None
        return interquartile_mean([runs.exploitability[:, -1]])

    def print_on(self, console: Console) -> None:
        """Prints a row for each learner: the last score on each task, and over all of them."""
        table = Table(box=SIMPLE_HEAD, pad_edge=False, title="scores", title_justify="left")
        table.add_column("task")
        for learner in self.learners:
            table.add_column(learner, justify="right")
        rows = [(task, [task]) for task in self.tasks]
        rows += [("all", self.tasks)] if len(self.tasks) > 1 else []
        for name, tasks in rows:
            cells = [self.final(learner, tasks) for learner in self.learners]
            table.add_row(name, *("" if cell is None else cell.text() for cell in cells))
        for task in self.tasks:
            if TASKS[task].endings:
                cells = [self.exploited(learner, task) for learner in self.learners]
                name = f"{task}: exploitability"
                table.add_row(name, *("" if cell is None else cell.text() for cell in cells))
        console.print(table)

    def as_json(self) -> dict[str, Any]:
        """All figures."""
        return {
            "scale": "0 is random, 1 is champion(quick=true)",
            "runs": [
                {
                    "learner": each.learner,
                    "task": each.task,
                    "steps": each.steps.tolist(),
                    "yardsticks": each.seconds.tolist(),
                    "scores": each.scores.tolist(),
                    "points": each.means.tolist(),
                    **(
                        {}
                        if each.exploitability is None
                        else {"exploitability": each.exploitability.tolist()}
                    ),
                }
                for each in self.runs
            ],
        }


def write_report(report: Report, path: Path) -> None:
    """Writes all figures as JSON."""
    from skat_env.tools.provenance import write_result

    write_result(path, report.as_json())
