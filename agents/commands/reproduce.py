"""`skat-env reproduce`."""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Final

from tyro.conf import Positional, UseAppendAction, arg

from skat_env.agents.reproduce.catalogue import CATALOGUE, find
from skat_env.agents.reproduce.report import list_text, rich_table
from skat_env.agents.reproduce.reproduction import Scale
from skat_env.agents.reproduce.run import RESULT, run
from skat_env.errors import ParseError
from skat_env.tools.console import Console
from skat_env.tools.run_folder import say_finished
from skat_env.tools.workers import Workers

MAX_ROWS: Final = 80
"""Rows up to which a table is printed; figures have hundreds."""


@dataclass
class Reproduce:
    """Reproduce a table or figure of a paper: our numbers beside the paper's.

    Example: skat-env reproduce rebstock-tables-3.3-4.2 --out results/accuracy

    The same seed gives the same numbers with any number of workers. The same command resumes a run that was stopped,
    and shows a finished one again without playing.
    """

    name: Annotated[Positional[str | None], arg(metavar="NAME")] = None
    """Name of the reproduction; --list shows all."""
    list: bool = False
    """List all reproductions, the models each needs, and the time each takes on two cores (~: estimated)."""
    scale: Scale = "small"
    """smoke: a minute; small: about an hour; paper: the paper's own size."""
    out: Path | None = None
    """Folder for result.json, table.md, plot.png and the matches. Default: results/NAME-SCALE."""
    workers: Annotated[Workers, arg(name="")] = Workers()
    seed: int = 0
    """Seed of the deals and of the agents."""
    source: Annotated[Path | None, arg(name="from")] = None
    """Recorded games, or a table of deals, to start from, as in skat-env match. Default: random deals."""
    deals: int | None = None
    """Deals of each match, or of each kind of game, instead of the scale's number."""
    effort: tuple[int, ...] | None = None
    """Worlds or simulations per move of the searches, instead of the scale's numbers."""
    set: UseAppendAction[tuple[tuple[str, ...], ...]] = ()
    """Models that replace the reproduction's own, for example "CLI=locations(checkpoint=DIR)"; may be repeated."""

    def run(self) -> int:
        """Plays the missing matches and prints the table; returns the exit status."""
        console = Console()
        if self.list:
            print(list_text(tuple(CATALOGUE.values())))
            return 0
        if self.name is None:
            raise ValueError(f"nothing to reproduce: expected one of {', '.join(CATALOGUE)}")
        reproduction = find(self.name)
        folder = self.out or Path("results") / f"{self.name}-{self.scale}"
        if (folder / RESULT).exists():
            say_finished("reproduction", folder)
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
        if len(rows) <= MAX_ROWS:
            console.print(rich_table(reproduction, rows))
        else:
            print(f"{len(rows)} rows: see table.md and plot.png")
        for note in reproduction.notes:
            console.print(note, highlight=False)
        print(f"written to {folder}")
        return 0


def _setting(text: str) -> tuple[str, str]:
    """Splits `NAME=SPEC` into the model's name and its text."""
    name, sign, spec = text.partition("=")
    if not sign or not name or not spec:
        raise ParseError(f"'{text}' is malformed: expected NAME=SPEC")
    return name.strip(), spec.strip()
