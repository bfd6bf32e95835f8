"""How well values of whole worlds foretell what then happened in recorded games, by kind of game.

skat-env generate --agents policy --deals 20000 --seed 401 --no-searches --out data/unseen
python -m benchmarks.quality.world_calibration data/unseen [--out FILE.json]

From each game one position of the cardplay with a choice is drawn. Predictions are of the declaring side.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tyro

from benchmarks.harness import Kept, keep, largest_error, print_table, run_benchmark
from skat_env.agents.networks.world_values import WorldValues, world_layout
from skat_env.datasets.dataset import Dataset
from skat_env.errors import ParseError
from skat_env.options import Seed
from skat_env.play.worth import own_results


@dataclass
class Options(Kept):
    """Hold values of worlds against recorded games."""

    data: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="DATA")]
    """The folder of a dataset."""
    checkpoint: str | None = None
    """The network, by name or path; without it the one that ships."""
    seed: Seed = 0
    """Seed of the positions."""


@dataclass(frozen=True)
class Figure:
    """One row of the table."""

    kind: str
    positions: int
    won: float
    """The share of the games."""
    chance: float
    """The same as predicted, on average."""
    largest_error: float | None
    brier: float
    points: float
    worth: float
    """The points as predicted, on average."""
    error: float
    """The squared error of the points as a share of their variance."""


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
        worth = float(own_results(dataset.game, [state], state.declarer)[0])
        won = state.returns(win)[state.declarer] > 0
        for _ in range(int(rng.integers(1, len(state.plays()) + 1))):
            state.undo()
        if state.stage == cardplay and state.legal().bit_count() > 1:
            positions.append(state)
            rows.append((str(state.kind), worth, bool(won)))
    if not positions:
        raise ParseError(f"{options.data} has no finished game with a choice of cards")
    worths, chances = values.values(positions)
    kinds, happened, won_ = (np.array(column) for column in zip(*rows, strict=True))
    figures = []
    for kind in ["all", *dict.fromkeys(kinds.tolist())]:
        of = np.ones(len(rows), np.bool_) if kind == "all" else kinds == kind
        chance, wins, worth, points = chances[of], won_[of], worths[of], happened[of]
        figures.append(
            Figure(
                kind,
                int(of.sum()),
                float(wins.mean()),
                float(chance.mean()),
                largest_error(chance, wins),
                float(np.square(chance - wins).mean()),
                float(points.mean()),
                float(worth.mean()),
                float(np.square(points - worth).mean() / points.var()),
            )
        )
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
    cells = [
        (
            each.kind,
            f"{each.positions:,}",
            f"{each.won:.1%}",
            f"{each.chance:.1%}",
            "" if each.largest_error is None else f"{each.largest_error:+.1%}",
            f"{each.brier:.3f}",
            f"{each.points:+.1f}",
            f"{each.worth:+.1f}",
            f"{each.error:.2f}",
        )
        for each in figures
    ]
    print_table(titles, cells, title=f"{len(rows):,} positions of {options.data}")
    keep(options, figures=figures)


if __name__ == "__main__":
    run_benchmark(main, Options)
