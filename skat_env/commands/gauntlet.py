"""`skat-env gauntlet`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from skat_env.gauntlet.play import FORMS, play_gauntlet
from skat_env.gauntlet.plot import draw_gauntlet
from skat_env.options import Count
from skat_env.play.casts import Mode
from skat_env.tools.console import Console
from skat_env.tools.extras import require_figures
from skat_env.tools.interrupts import stopped
from skat_env.tools.workers import Workers


@dataclass
class Gauntlet:
    """Play agents against programs that others wrote, each against each, and show where they stand.

    Example: skat-env gauntlet --agents policy --engines "low=engine(command='python3 engines/lowest/lowest.py')"
    --deals 20 --out results/gauntlet

    Every pair has a match in each form, on the same deals. The same command continues a gauntlet that was stopped;
    with other agents, engines, forms or more --deals it goes on with the games that are there. The tables have all
    matches of the folder that are finished.
    """

    out: Path
    """The folder of the gauntlet: its matches, result.json and gauntlet.png."""
    agents: tuple[str, ...]
    """The agents; LABEL=AGENT gives one a short name."""
    engines: tuple[str, ...]
    """The programs against which they play, as LABEL="engine(command='COMMAND', instead=rule)"."""
    game: str = "skat"
    """The game to play."""
    deals: Count = 300
    """The number of deals of each match."""
    seed: int = 0
    """The seed of the deals and of the agents' randomness."""
    forms: tuple[Mode, ...] = FORMS
    """The forms in which every pair plays: the modes of `skat-env match`."""
    rules: str | None = None
    """Rule options that differ from the defaults, such as "legality=amsterdam choice=free"."""
    workers: Annotated[Workers, tyro.conf.arg(name="")] = Workers()
    plot: bool = True
    """Whether to draw gauntlet.png."""

    def run(self) -> int:
        """Plays what is missing, prints the tables and writes them into the folder; returns the exit status."""
        if self.plot:
            require_figures("--no-plot")
        try:
            played = play_gauntlet(
                self.out,
                self.agents,
                self.engines,
                self.game,
                deals=self.deals,
                seed=self.seed,
                forms=self.forms,
                rules=self.rules,
                workers=self.workers,
            )
        except KeyboardInterrupt:
            return stopped(None, True)
        played.print_on(Console())
        if self.plot:
            draw_gauntlet(played.gauntlet, self.out / "gauntlet.png")
        print(f"written to {self.out}")
        return 0
