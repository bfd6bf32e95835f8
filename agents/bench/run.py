"""Runs of the benchmark: a learner on a task with one seed, measured at fixed points, and going on where it stopped."""

import io
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final
from zipfile import BadZipFile

import numpy as np

from skat_env.agents.bench.evaluate import Observing, exploitability, points, score
from skat_env.agents.bench.learner import Learner, LearnerFile, load_learner
from skat_env.agents.bench.task import Task, get_task
from skat_env.envs.vector import SelfPlayVector
from skat_env.errors import ParseError
from skat_env.match.statistics import interval
from skat_env.options import Count, Seed, check_fields
from skat_env.tools.files import write_bytes
from skat_env.tools.json_file import read_object
from skat_env.tools.progress import progress_bar
from skat_env.tools.provenance import write_result
from skat_env.tools.run_folder import run_folder, say_finished
from skat_env.tools.workers import Workers, map_unordered, require_workers

HEAD: Final = "run.json"
STATE: Final = "state.npz"
FILE: Final = "learner.py"
RESULT: Final = "result.json"
POINTS: Final = 10
"""Measurements of a run after the first, which is before any learning."""
_COURSE: Final = "course"
"""What a saved state holds beside the learner's arrays."""


@dataclass(frozen=True, slots=True)
class Point:
    """A measurement of a learner."""

    steps: int
    """Decisions that were learnt from before it."""
    mean: float
    """Points per deal."""
    low: float
    """The lower end of the mean's 95% interval over deals."""
    high: float
    score: float
    """The mean on the task's scale: 0 is `random`, 1 is `champion(quick=true)`."""
    exploitability: float | None = None
    """What best responses win from it in an ending, in points, summed over seats; None: not in this task."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run is: the same plan gives the same curve."""

    learner: LearnerFile
    task: Task
    seed: Seed = 0
    changes: tuple[str, ...] = ()
    """Changed options: `learning_rate=3e-4`."""
    steps: Count | None = None
    """Decisions to learn from; None: the task's budget."""
    points: Count = POINTS
    """Measurements after the first."""
    deals: Count | None = None
    """Deals of a measurement, drawn from all once for ever; None: all of the task's."""
    name: str | None = None
    """The learner's name in reports; None: that of its file."""
    seconds: Count | None = None
    """The processor's seconds of learning, after which the next measurement is the last; None: the task's budget."""

    def __post_init__(self) -> None:
        check_fields(self, "a run of the benchmark")

    @property
    def title(self) -> str:
        """The learner's name in reports."""
        return self.name or self.learner.name

    @property
    def budget(self) -> int:
        """Decisions to learn from."""
        return self.task.steps if self.steps is None else self.steps

    @property
    def budget_seconds(self) -> int:
        """The processor's seconds to learn in."""
        return self.task.seconds if self.seconds is None else self.seconds

    def head(self) -> dict[str, Any]:
        """What identifies the run, as JSON."""
        return {
            "learner": self.title,
            "learner_digest": self.learner.digest,
            "options": asdict(self.learner.options(self.changes)),
            "task": self.task.id,
            "task_digest": self.task.digest,
            "seed": self.seed,
            "steps": self.budget,
            "points": self.points,
            "deals": self.deals,
            "seconds": self.budget_seconds,
        }


@dataclass(slots=True)
class Course:
    """A run so far."""

    curve: list[Point] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """The processor's seconds of learning up to each point."""

    def is_finished(self, plan: Plan) -> bool:
        """Whether one of the plan's budgets is spent."""
        return len(self.curve) > plan.points or max(self.seconds, default=0) >= plan.budget_seconds

    def advance(self, plan: Plan, learner: Learner) -> None:
        """Learns up to the next point and measures there."""
        number = len(self.curve)
        steps, seconds = (self.curve[-1].steps, self.seconds[-1]) if number else (0, 0.0)
        if number:
            wanted = plan.budget * number // plan.points
            began = time.process_time()
            steps += learner.learn(max(1, wanted - steps), _seed(plan.seed, number))
            seconds += time.process_time() - began
        player = Observing(learner)
        got = points(plan.task, player, plan.deals)
        low, high = interval(got)
        mean = float(got.mean())
        exploited = exploitability(plan.task, player)
        self.curve.append(Point(steps, mean, float(low), float(high), score(plan.task, mean), exploited))
        self.seconds.append(seconds)

    def save(self, path: Path, learner: Learner) -> None:
        """Writes the course and the learner in one file, so that both are of one moment."""
        written = io.BytesIO()
        np.savez(written, **learner.arrays(), **{_COURSE: np.array(json.dumps(asdict(self)))})  # type: ignore[arg-type]
        write_bytes(path, written.getvalue())

    @classmethod
    def load(cls, path: Path, learner: Learner) -> "Course":
        """The course of a file, whose learner's arrays the learner takes; a new one where there is no file.

        Raises:
            ParseError: if the file is damaged.
        """
        if not path.exists():
            return cls()
        try:
            with np.load(path, allow_pickle=False) as kept:
                arrays = {name: kept[name] for name in kept.files}
            told = json.loads(arrays.pop(_COURSE).item())
            course = cls([Point(**point) for point in told["curve"]], told["seconds"])
        except (OSError, EOFError, ValueError, KeyError, TypeError, BadZipFile) as error:
            raise ParseError(f"{path} is damaged: {error}; nothing is changed; name another folder") from None
        learner.restore(arrays)
        return course


def run(plan: Plan, folder: Path, shown: bool = True, keep: bool = True) -> list[Point]:
    """Learns and measures until one of its budgets is spent, from where the folder's run was stopped.

    The folder gets `result.json`: the plan, the curve, the processor's seconds, and what made them.

    Args:
        plan: what is learnt.
        folder: of this run alone.
        shown: whether to show a progress bar, and to say that the run was finished before.
        keep: whether what has been learnt stays in the folder, for the agent `learner(FOLDER)`.

    Raises:
        FileExistsError: if the folder holds another run.
    """
    head = plan.head()
    with run_folder(folder, "run of the benchmark", HEAD, head, compared=head, finished=RESULT) as kept:
        if kept.is_finished:
            if shown:
                say_finished("run of the benchmark", folder)
            return read_curve(folder / RESULT)
        learner = plan.learner.make(plan.task, plan.learner.options(plan.changes), plan.seed)
        write_bytes(folder / FILE, plan.learner.path.read_bytes())
        course = Course.load(folder / STATE, learner)
        with progress_bar(
            f"{plan.title}, {plan.task.id}, seed {plan.seed}", plan.budget, shown=shown
        ) as progress:
            while not course.is_finished(plan):
                course.advance(plan, learner)
                course.save(folder / STATE, learner)
                progress(min(course.curve[-1].steps, plan.budget))
        curve = [asdict(point) for point in course.curve]
        write_result(
            folder / RESULT,
            {**head, "curve": curve, "cpu_seconds": course.seconds, "yardstick_seconds": yardstick()},
        )
        if not keep:
            (folder / STATE).unlink()
            (folder / FILE).unlink()
        kept.clear()
        return course.curve


def load_run(folder: Path) -> tuple[Task, Learner]:
    """The task of a finished run, and its learner as it was in the end.

    Raises:
        ParseError: if there is no such run, it is damaged, or it did not keep what was learnt.
    """
    if missing := [name for name in (RESULT, FILE, STATE) if not (folder / name).exists()]:
        raise ParseError(
            f"{folder} has no {missing[0]}: expected a finished run of skat-env bench train, kept"
        )
    result = read_object(folder / RESULT, "name another folder")
    if lacking := [key for key in ("task", "learner_digest", "options", "seed") if key not in result]:
        raise ParseError(f"{folder / RESULT} is no run of the benchmark, it has no '{lacking[0]}'")
    file, task = load_learner(folder / FILE), get_task(result["task"])
    if file.digest != result["learner_digest"]:
        raise ParseError(f"{folder / FILE} is not the file that learnt: expected the one that the run wrote")
    learner = file.make(task, file.made_options(result["options"]), result["seed"])
    Course.load(folder / STATE, learner)
    for name, array in learner.arrays().items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ParseError(f"{folder / STATE} has numbers in '{name}' that are not finite: train it again")
    return task, learner


def run_all(plans: Sequence[Plan], folder: Path, workers: Workers | int = 1, keep: bool = True) -> None:
    """Runs one plan with several seeds, each in a folder of its name; with several workers side by side.

    Args:
        plans: the same but for their seeds.
        folder: of all of them. On a ray cluster all machines need it, and the learner's file, at the same place.
        workers: who learns. Curves do not depend on it.
        keep: as of `run`.

    Raises:
        FileExistsError: if a folder holds another run; and as `map_unordered`.
    """
    alone = require_workers(workers).workers == 1
    title = f"{plans[0].title}, {plans[0].task.id}"
    with progress_bar(title, len(plans), shown=not alone) as progress:
        for number, _ in enumerate(map_unordered(_Run(folder.resolve(), alone, keep), plans, workers), 1):
            progress(number)


@dataclass(frozen=True, slots=True)
class _Run:
    """Runs a plan in the folder of its seed."""

    folder: Path
    shown: bool
    keep: bool

    def __call__(self, plan: Plan) -> None:
        run(plan, self.folder / str(plan.seed), self.shown, self.keep)


def read_curve(path: Path) -> list[Point]:
    """The curve of a finished run."""
    return [Point(**point) for point in read_object(path, "name another folder")["curve"]]


def yardstick() -> float:
    """The processor's seconds of a fixed piece of work, so that seconds of different machines compare.

    The best of three times 200,000 steps of games in C and 20 products of the size of a network's layer.
    """
    games = SelfPlayVector("skat", 1000, copy=False)
    matrix, rows = np.ones((512, 512), np.float32), np.ones((1024, 512), np.float32)
    taken = []
    for _ in range(3):
        began = time.process_time()
        step = games.reset(seed=1)
        for _ in range(200):
            step = games.step(step.action_mask.argmax(1))
        for _ in range(20):
            rows @ matrix
        taken.append(time.process_time() - began)
    return min(taken)


def _seed(*numbers: int) -> int:
    """A seed that depends on some numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])
