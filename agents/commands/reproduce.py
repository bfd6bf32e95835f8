"""`skat-env reproduce`."""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Final

from rich.console import Console
from tyro.conf import Positional, UseAppendAction, arg

from agents.reproduce.catalogue import CATALOGUE, find
from agents.reproduce.report import list_text, rich_table
from agents.reproduce.reproduction import Scale
from agents.reproduce.run import run
from skat_env.errors import ParseError

MOST_ROWS: Final = 80
"""Of a table that is shown; figures have hundreds."""


@dataclass
class Reproduce:
    """Reproduce a table or figure of the papers, ours beside theirs.

    The same seed gives the same numbers with any number of workers. Stopped, the same command goes on where it was;
    what is finished is shown again and not played again.
    """

    name: Annotated[Positional[str | None], arg(metavar="NAME")] = None
    """What is reproduced; --list tells."""
    list: bool = False
    """Tell what there is, what each needs, and how long it takes on two cores (~: estimated)."""
    scale: Scale = "small"
    """smoke: a minute; small: about an hour; paper: the paper's own size."""
    out: Path | None = None
    """The folder for result.json, table.md, plot.png and the matches. Default: results/NAME-SCALE."""
    workers: int = 1
    """Processes."""
    seed: int = 0
    """Of the deals and of the agents' randomness."""
    source: Annotated[Path | None, arg(name="from")] = None
    """Recorded games or a table of deals to play from, as in skat-env match. Default: random deals."""
    deals: int | None = None
    """Of each match, or of each kind of game, in the place of the scale's."""
    effort: tuple[int, ...] | None = None
    """Worlds, or simulations, of the searches for a move, in the place of the scale's."""
    set: UseAppendAction[tuple[tuple[str, ...], ...]] = ()
    """Models in the place of the reproduction's own, as "CLI=locations(checkpoint=DIR)"; one or several each time."""

    def run(self) -> int:
        """Plays what is missing and prints the table; the exit status."""
        console = Console()
        if self.list:
            print(list_text(tuple(CATALOGUE.values())))
            return 0
        if self.name is None:
            raise ValueError(f"what is to be reproduced? known are {', '.join(CATALOGUE)}")
        reproduction = find(self.name)
        folder = self.out or Path("results") / f"{self.name}-{self.scale}"
        rows = run(
            reproduction,
            self.scale,
            folder,
            self.seed,
            self.workers,
            None if self.source is None else str(self.source),
            self.deals,
            self.effort,
            dict(map(_setting, chain(*self.set))),
        )
        console.print(f"{reproduction.title}. {reproduction.about}", highlight=False)
        if len(rows) <= MOST_ROWS:
            console.print(rich_table(reproduction, rows))
        else:
            print(f"{len(rows)} rows: they are in table.md, and drawn in plot.png")
        for note in reproduction.notes:
            console.print(note, highlight=False)
        print(f"written to {folder}")
        return 0


def _setting(text: str) -> tuple[str, str]:
    """Name and text of a model."""
    name, sign, spec = text.partition("=")
    if not sign or not name or not spec:
        raise ParseError(f"'{text}' is malformed: expected NAME=SPEC")
    return name.strip(), spec.strip()
