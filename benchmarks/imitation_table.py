"""Imitation accuracy on held-out games beside the paper's, network by network.

python benchmarks/imitation_table.py agents/weights/skat-policy [--markdown]

Rebstock 2019, tables 3.3 and 4.2, learnt from people; ours imitates what its card says. "Of choices" leaves out
decisions with one legal action, which the paper counts.
"""

from dataclasses import dataclass
from pathlib import Path

import tyro
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from agents.checkpoint import load_checkpoint
from agents.reproduce.rebstock_imitation import TABLES_3_3_AND_4_2

TITLES = ("network", "rows", "accuracy %", "of choices %", "paper: million rows", "paper: accuracy %")


@dataclass
class Options:
    """Imitation accuracy beside the paper's."""

    checkpoint: tyro.conf.Positional[Path]
    """Its folder."""
    markdown: bool = False
    """Print it for a README."""


def rows(checkpoint: Path) -> list[tuple[str, ...]]:
    """The cells of the table."""
    figures = load_checkpoint(checkpoint, "skat").details["figures"]
    cells = []
    for name, (millions, accuracy) in TABLES_3_3_AND_4_2.items():
        if name in figures:
            ours = figures[name]
            found = [f"{100 * ours[f'test_{kind}']:.1f}" for kind in ("accuracy", "choice_accuracy")]
            cells.append((name, f"{ours['train_rows']:,}", *found, millions, accuracy))
    return cells


def main() -> None:
    """Prints the table."""
    options = tyro.cli(Options, description=__doc__)
    cells = rows(options.checkpoint)
    if options.markdown:
        print("| " + " | ".join(TITLES) + " |\n|---|" + "---:|" * (len(TITLES) - 1))
        print("\n".join("| " + " | ".join(row) + " |" for row in cells))
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for title in TITLES:
        table.add_column(title, justify="left" if title == "network" else "right")
    for row in cells:
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
