"""How well value networks foretell the results of recorded games, in parts of equal size by prediction.

skat-env generate --agents "champion(quick=true)" --deals 6000 --seed 205 --no-searches --out data/quick
python -m benchmarks.quality.value_calibration data/quick --networks pass_value soloist_value [--out FILE.json]

A row is one of a network's decisions: its value is of the action that was taken. The error is the squared error as a
share of the variance. Intervals are by deal.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import tyro
from numpy.typing import NDArray

from benchmarks.harness import Kept, keep, print_table, ratio_text, run_benchmark
from skat_env.agents.networks.checkpoint import Checkpoint, load_checkpoint
from skat_env.agents.networks.task import ImitationTasks, Task, made_by
from skat_env.datasets.dataset import Dataset
from skat_env.datasets.decisions import Decisions
from skat_env.errors import ParseError
from skat_env.match.statistics import Ratio, mean_by_deal
from skat_env.options import Count
from skat_env.registry import get_part

AT_ONCE: Final = 8192
"""Rows that are encoded at once."""
COLUMNS: Final = ("predicted", "rows", "happened", "mean", "difference", "error")


@dataclass
class Options(Kept):
    """Hold value networks against recorded games."""

    data: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="DATA")]
    """The folder of a dataset."""
    networks: tuple[str, ...] = ()
    """The networks, by name; none: all values of the checkpoint."""
    checkpoint: str = "skat-policy"
    """The networks' checkpoint, by name or path."""
    players: tuple[str, ...] = ()
    """The players whose decisions are held against what happened; none: all."""
    parts: Annotated[Count, tyro.conf.arg(metavar="N")] = 5
    """The number of parts."""


@dataclass(frozen=True)
class Part:
    """Rows with a like prediction."""

    between: tuple[float, float] | None
    """The least and the greatest prediction; None: all rows."""
    rows: int
    happened: float
    predicted: float
    difference: Ratio
    error: float | None
    """None: all that happened is alike."""


def main(options: Options) -> None:
    """Prints a table for each network; of one with several values, for the first: the points."""
    dataset = Dataset(options.data)
    decisions, checkpoint = Decisions(dataset), load_checkpoint(options.checkpoint, dataset.game.name)
    known: ImitationTasks = get_part(dataset.game.name, "tasks")
    moves = decisions.find()
    found: dict[str, list[Part]] = {}
    for name in options.networks or [each for each in known.networks if each in checkpoint.networks]:
        task = known.task(decisions, dataset, name, checkpoint.network(name).spec.hidden, False)
        if options.players:
            task = task.part(made_by(options.players, task, moves, dataset))
        if task.kind == "value" and len(task):
            deals = deals_of(dataset, task)
            parts = found[name] = parts_of(deals, *values_of(decisions, checkpoint, task), options.parts)
            title = f"{task.network}: {len(np.unique(task.games)):,} games of {len(set(deals)):,} deals"
            print_table(COLUMNS, [cells(part) for part in parts], title=title)
    if not found:
        raise ParseError(f"{options.data} has no decision that a value of {checkpoint.name} is of")
    keep(options, networks=found)


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


def deals_of(dataset: Dataset, task: Task) -> list[str]:
    """The deal of each row: a match plays it several times."""
    games, rows = np.unique(task.games, return_inverse=True)
    deals = [str(dataset.state(game).dealt) for game in games.tolist()]
    return [deals[row] for row in rows.tolist()]


def parts_of(deals: Sequence[str], happened: NDArray[Any], predicted: NDArray[Any], parts: int) -> list[Part]:
    """All rows, then those of each part."""
    found = []
    order = np.argsort(predicted, kind="stable")
    for part, at in enumerate([order, *np.array_split(order, parts)]):
        if not len(at):
            continue
        true, guess = happened[at].astype(np.float64), predicted[at].astype(np.float64)
        found.append(
            Part(
                (float(guess[0]), float(guess[-1])) if part else None,
                len(at),
                float(true.mean()),
                float(guess.mean()),
                mean_by_deal(true - guess, [deals[row] for row in at.tolist()]),
                float(np.square(true - guess).mean() / true.var()) if true.var() else None,
            )
        )
    return found


def cells(part: Part) -> tuple[str, ...]:
    """A line of the table."""
    return (
        "all" if part.between is None else f"{part.between[0]:+.0f} to {part.between[1]:+.0f}",
        f"{part.rows:,}",
        f"{part.happened:+.1f}",
        f"{part.predicted:+.1f}",
        ratio_text(part.difference),
        "" if part.error is None else f"{part.error:.3f}",
    )


if __name__ == "__main__":
    run_benchmark(main, Options)
