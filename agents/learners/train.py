"""A training in one line of Python."""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from skat_env.agents.learners.config import find_config, read_config
from skat_env.agents.learners.metrics import read_metrics
from skat_env.agents.learners.run import CHECKPOINT, METRICS, TrainingRun
from skat_env.errors import UnknownName
from skat_env.tools.console import Console, Printed
from skat_env.tools.interrupts import interrupts_waiting
from skat_env.tools.run_folder import say_finished
from skat_env.tools.workers import Workers

LEARNERS: Final = {
    "imitation": "skat_env.agents.learners.imitation",
    "locations": "skat_env.agents.learners.locations",
    "tables": "skat_env.agents.learners.tables",
    "value": "skat_env.agents.learners.value",
    "selfplay": "skat_env.agents.learners.selfplay",
    "dmc": "skat_env.agents.learners.dmc",
    "ppo": "skat_env.agents.learners.ppo",
    "expert": "skat_env.agents.learners.expert",
    "sb3": "skat_env.agents.sb3.train",
}
"""The module of each learner: it has `Config`, a `LearnerConfig`, and `train(config, run)`."""


@dataclass(frozen=True, slots=True)
class TrainedRun(Printed):
    """The folder of a finished training: printed it is the last line of its metrics."""

    folder: Path

    @property
    def checkpoint(self) -> Path:
        """The folder of its networks, as the option `checkpoint` of agents takes it."""
        return self.folder / CHECKPOINT

    @property
    def metrics(self) -> list[dict[str, float]]:
        """The lines of `metrics.jsonl`: `step`, and numbers by name."""
        path = self.folder / METRICS
        return read_metrics(path) if path.exists() else []

    def print_on(self, console: Console) -> None:
        """Prints the last value of each metric."""
        last: dict[str, float] = {}
        for line in self.metrics:
            last |= line
        table = Table(box=SIMPLE_HEAD, pad_edge=False, title=str(self.folder), title_justify="left")
        table.add_column("metric", overflow="fold")
        table.add_column("last", justify="right")
        for name, value in last.items():
            table.add_row(name, f"{value:,.4g}" if name != "step" else f"{value:,.0f}")
        console.print(table)


def train(
    learner: str, config: Path | str, out: Path | str, workers: Workers | int = 1, **changes: Any
) -> TrainedRun:
    """Trains networks; where a training was stopped, the same call goes on.

    `run = train("ppo", "ppo-skat", "runs/first", games=10_000, kind="null")`

    Args:
        learner: its name: `imitation`, `ppo`; `skat-env train --help` lists them.
        config: a TOML file, or the name of a config that ships.
        out: the folder of the run.
        workers: who plays the evaluation matches.
        changes: keys of the config to change; None is for keys that may be left out, as `kind`.

    Raises:
        UnknownName: if there is no such learner, config or key.
        ParseError: if a value is out of range.
        FileExistsError: if the folder holds something else.
    """
    return train_with(learner, Path(config), Path(out), (), workers, changes)


def train_with(
    learner: str,
    config: Path,
    out: Path,
    changes: Sequence[str],
    workers: Workers | int,
    values: Mapping[str, Any] | None = None,
) -> TrainedRun:
    """As `train`, with changes as texts, `games=1000`, before those as values."""
    if learner not in LEARNERS:
        raise UnknownName("learner", learner, LEARNERS)
    with interrupts_waiting():
        module = importlib.import_module(LEARNERS[learner])
    wanted = read_config(module.Config, find_config(config), changes, values)
    work: Callable[[Any, TrainingRun], None] = module.train
    with TrainingRun(out, learner, wanted, workers) as run:
        try:
            work(wanted, run)
        except MemoryError as error:
            raise ValueError(f"there is not enough memory for this config: {error}") from None
    if not run.has_worked:
        say_finished("run", out)
    return TrainedRun(out)
