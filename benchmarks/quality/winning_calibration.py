"""How far winning probabilities are from what happened: mean chance less the share won, by tenths of the chance.

python -m benchmarks.quality.winning_calibration data/held-out [--checkpoint skat-winning] [--bids]

Games that the tables have not counted must be held against them. A tenth with fewer than 500 games is left out.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from benchmarks.harness import print_table, run_benchmark
from skat_env.agents.skat.bidding.expert_bidding import CHECKPOINT
from skat_env.agents.skat.counted.winning_counts import BINS, calibration, read_starts
from skat_env.agents.skat.counted.winning_tables import OUTCOMES, WinningTables
from skat_env.datasets.dataset import Dataset


@dataclass
class Options:
    """How far winning probabilities are from what happened."""

    data: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="DATASET")]
    """The folder of a dataset that the tables have not counted."""
    checkpoint: str = CHECKPOINT
    """The tables, by name or path."""
    bids: bool = False
    """Whether the bids of the others are known."""


def main(options: Options) -> None:
    """Measures and prints."""
    tables = WinningTables.load(options.checkpoint)
    rows = []
    largest = 0.0
    for variant, (kind, address, outcomes) in sorted(read_starts(Dataset(options.data)).by_variant().items()):
        chances = tables.at(variant, address, options.bids)
        for at, outcome in enumerate(OUTCOMES[: 1 if kind == "null" else None]):
            happened = outcomes[:, at].astype(float)
            misses = calibration(chances[:, at], happened)
            largest = max([largest, *map(abs, misses.values())])
            cells = [f"{misses[number]:+.1%}" if number in misses else "" for number in range(BINS)]
            miss = f"{(chances[:, at] - happened).mean():+.1%}"
            rows.append((f"{variant} {outcome}", f"{len(address):,}", f"{happened.mean():.1%}", miss, *cells))
    print_table(
        ("variant", "games", "share", "miss", *(f"{number / BINS:g}" for number in range(BINS))), rows
    )
    print(f"largest miss of a tenth: {largest:.1%}")


if __name__ == "__main__":
    run_benchmark(main, Options)
