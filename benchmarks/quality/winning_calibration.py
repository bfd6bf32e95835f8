"""How far winning probabilities are from what happened: mean chance less the share won, by tenths of the chance.

python -m benchmarks.quality.winning_calibration data/held-out [--checkpoint skat-winning] [--bids]
    [--out FILE.json]

Games that the tables have not counted must be held against them. A tenth with fewer than 500 games is left out.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from benchmarks.harness import Kept, keep, print_table, run_benchmark
from skat_env.agents.skat.bidding.expert_bidding import CHECKPOINT
from skat_env.agents.skat.counted.winning_counts import BINS, calibration, read_starts
from skat_env.agents.skat.counted.winning_tables import OUTCOMES, WinningTables
from skat_env.datasets.dataset import Dataset


@dataclass
class Options(Kept):
    """How far winning probabilities are from what happened."""

    data: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="DATASET")]
    """The folder of a dataset that the tables have not counted."""
    checkpoint: str = CHECKPOINT
    """The tables, by name or path."""
    bids: bool = False
    """Whether the bids of the others are known."""


@dataclass(frozen=True)
class Figure:
    """One row of the table."""

    variant: str
    outcome: str
    games: int
    share: float
    """Of the games, in which it happened."""
    miss: float
    """The mean chance less this share."""
    misses: dict[int, float]
    """The same by tenth of the chance."""


def main(options: Options) -> None:
    """Measures and prints."""
    tables = WinningTables.load(options.checkpoint)
    rows, figures = [], []
    largest = 0.0
    for variant, (kind, address, outcomes) in sorted(read_starts(Dataset(options.data)).by_variant().items()):
        chances = tables.at(variant, address, options.bids)
        for at, outcome in enumerate(OUTCOMES[: 1 if kind == "null" else None]):
            happened = outcomes[:, at].astype(float)
            misses = calibration(chances[:, at], happened)
            largest = max([largest, *map(abs, misses.values())])
            cells = [f"{misses[number]:+.1%}" if number in misses else "" for number in range(BINS)]
            share, miss = float(happened.mean()), float((chances[:, at] - happened).mean())
            rows.append((f"{variant} {outcome}", f"{len(address):,}", f"{share:.1%}", f"{miss:+.1%}", *cells))
            figures.append(Figure(variant, outcome, len(address), share, miss, misses))
    print_table(
        ("variant", "games", "share", "miss", *(f"{number / BINS:g}" for number in range(BINS))), rows
    )
    print(f"largest miss of a tenth: {largest:.1%}")
    keep(options, largest=largest, figures=figures)


if __name__ == "__main__":
    run_benchmark(main, Options)
