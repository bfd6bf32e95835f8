"""How well value networks foretell the results of recorded games, in parts of equal size by prediction.

skat-env generate --agents "champion(quick=true)" --deals 6000 --seed 205 --no-searches --out data/quick
python -m benchmarks.quality.value_calibration data/quick --networks pass_value soloist_value

A row is one of a network's decisions: its value is of the action that was taken. The error is the squared error as a
share of the variance.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import tyro
from numpy.typing import NDArray

from benchmarks.harness import print_table, run_benchmark
from skat_env.agents.networks.checkpoint import Checkpoint, load_checkpoint
from skat_env.agents.networks.task import ImitationTasks, Task, made_by
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.decisions import Decisions
from skat_env.errors import ParseError
from skat_env.match.statistics import estimate
from skat_env.registry import get_part

AT_ONCE: Final = 8192
"""Rows that are encoded at once."""
COLUMNS: Final = ("predicted", "rows", "happened", "mean", "difference", "error")


@dataclass
class Options:
    """Hold value networks against recorded games."""

    data: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="DATA")]
    """The folder of a dataset."""
    networks: tuple[str, ...] = ()
    """The networks, by name; none: all values of the checkpoint."""
    checkpoint: str = "skat-policy"
    """The networks' checkpoint, by name or path."""
    players: tuple[str, ...] = ()
    """The players whose decisions are held against what happened; none: all."""
    parts: Annotated[int, tyro.conf.arg(metavar="N")] = 5
    """The number of parts."""


def main(options: Options) -> None:
    """Prints a table for each network; of one with several values, for the first: the points."""
    dataset = Dataset(options.data)
    decisions, checkpoint = Decisions(dataset), load_checkpoint(options.checkpoint, dataset.game.name)
    known: ImitationTasks = get_part(dataset.game.name, "tasks")
    moves = decisions.find()
    shown = 0
    for name in options.networks or [each for each in known.networks if each in checkpoint.networks]:
        task = known.task(decisions, dataset, name, checkpoint.network(name).spec.hidden, False)
        if options.players:
            task = task.part(made_by(options.players, task, moves, dataset))
        if task.kind == "value" and len(task):
            rows = rows_of(task, *values_of(decisions, checkpoint, task), options.parts)
            print_table(COLUMNS, rows, title=f"{task.network}: {len(np.unique(task.games)):,} games")
            shown += 1
    if not shown:
        raise ParseError(f"{options.data} has no decision that a value of {checkpoint.name} is of")


def values_of(
    decisions: Decisions, checkpoint: Checkpoint, task: Task
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """What happened and what was predicted, float32 [rows] each."""
    network = checkpoint.network(task.network)
    outputs = np.concatenate(
        [
            network.infer(decisions.rows(network.encoder, task.games[at], task.steps[at]))
            for at in np.split(np.arange(len(task)), np.arange(AT_ONCE, len(task), AT_ONCE))
        ]
    )
    assert task.values is not None
    if task.values.ndim > 1:
        return task.values[:, 0], outputs[:, 0]
    return task.values, outputs[np.arange(len(task)), task.labels]


def rows_of(task: Task, happened: NDArray[Any], predicted: NDArray[Any], parts: int) -> list[tuple[str, ...]]:
    """A line for all rows, then one for each part."""
    rows: list[tuple[str, ...]] = []
    order = np.argsort(predicted, kind="stable")
    for part, at in enumerate([order, *np.array_split(order, parts)]):
        if not len(at):
            continue
        true, guess = happened[at], predicted[at]
        # Rows of a game share its luck, so that games are what varies: each weighs as its rows do.
        _, games, counts = np.unique(task.games[at], return_inverse=True, return_counts=True)
        error = estimate(np.bincount(games, true - guess) / counts.mean())
        cells = (
            f"{guess[0]:+.0f} to {guess[-1]:+.0f}" if part else "all",
            f"{len(at):,}",
            f"{true.mean():+.1f}",
            f"{guess.mean():+.1f}",
            f"{error.mean:+.1f} [{error.low:+.1f}, {error.high:+.1f}]",
            f"{np.square(true - guess).mean() / true.var():.3f}" if true.var() else "",
        )
        rows.append(cells)
    return rows


if __name__ == "__main__":
    run_benchmark(main, Options)
