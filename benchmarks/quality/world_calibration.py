"""How well values of whole worlds foretell what then happened in recorded games, by kind of game.

skat-env generate --agents policy --deals 20000 --seed 401 --no-searches --out data/unseen
python -m benchmarks.quality.world_calibration data/unseen

From each game one position of the cardplay with a choice is drawn. Predictions are of the declaring side.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from benchmarks.harness import largest_error, print_table, run_benchmark
from skat_env.agents.networks.world_values import WorldValues, world_layout
from skat_env.datasets.dataset import Dataset


@dataclass
class Options:
    """Hold values of worlds against recorded games."""

    data: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="DATA")]
    """The folder of a dataset."""
    checkpoint: str | None = None
    """The network, by name or path; without it the one that ships."""
    seed: int = 0
    """Seed of the positions."""


def main(options: Options) -> None:
    """Prints a row for each kind of game."""
    dataset, rng = Dataset(options.data), np.random.default_rng(options.seed)
    values = WorldValues(dataset.game.name, options.checkpoint)
    win, cardplay = world_layout(dataset.game.name).win, dataset.game.stages[-1]
    positions: list[Any] = []
    rows: list[tuple[str, float, bool]] = []
    for number in range(len(dataset)):
        state: Any = dataset.state(number)
        if not state.is_over or state.declarer < 0 or not state.plays():
            continue
        worth, won = values.worth(state), state.returns(win)[state.declarer] > 0
        for _ in range(int(rng.integers(1, len(state.plays()) + 1))):
            state.undo()
        if state.stage == cardplay and state.legal().bit_count() > 1:
            positions.append(state)
            rows.append((str(state.kind), worth, bool(won)))
    worths, chances = values.values(positions)
    kinds, happened, won_ = (np.array(column) for column in zip(*rows, strict=True))
    cells = []
    for kind in ["all", *dict.fromkeys(kinds.tolist())]:
        of = np.ones(len(rows), np.bool_) if kind == "all" else kinds == kind
        chance, wins, worth, points = chances[of], won_[of], worths[of], happened[of]
        share = np.square(points - worth).mean() / points.var()
        row = (
            kind,
            f"{of.sum():,}",
            f"{wins.mean():.1%}",
            f"{chance.mean():.1%}",
            largest_error(chance, wins),
            f"{np.square(chance - wins).mean():.3f}",
            f"{points.mean():+.1f}",
            f"{worth.mean():+.1f}",
            f"{share:.2f}",
        )
        cells.append(row)
    titles = (
        "kind",
        "positions",
        "won",
        "predicted",
        "largest error",
        "Brier",
        "points",
        "predicted",
        "error",
    )
    print_table(titles, cells, title=f"{len(rows):,} positions of {options.data}")


if __name__ == "__main__":
    run_benchmark(main, Options)
