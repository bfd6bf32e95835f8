"""`skat-env ladder`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from skat_env.ladder.play import play_ladder
from skat_env.ladder.plot import draw_ladder
from skat_env.tools.console import Console
from skat_env.tools.extras import require_figures
from skat_env.tools.interrupts import stopped
from skat_env.tools.workers import Workers


@dataclass
class Ladder:
    """Play agents on a game's fixed benchmark against the same two anchors, and show where each stands.

    Example: skat-env ladder --add "pimc(worlds=80)" --out results/ladder

    Every agent plays the same deals: full games at every seating, and from the first card on, mirrored. The results do
    not depend on the number of workers. The same command continues a ladder that was stopped; one with more --deals
    goes on with the games that are there.
    """

    out: Path
    """The folder of the ladder: its matches, result.json, ladder.md and ladder.png."""
    game: str = "skat"
    """The game to play."""
    deals: int | None = None
    """Play the first this many deals of both kinds; an agent that has more keeps them. Default: all."""
    agents: tuple[str, ...] | None = None
    """The agents to play. Default: those of the folder, or in one with the anchors alone those that ship."""
    add: str | None = None
    """An agent that the ladder does not have yet: it plays, and no other."""
    source: Annotated[Path | None, tyro.conf.arg(name="from")] = None
    """The result file of a ladder, whose agents are shown beside those of the folder and need not be played; one that
    is played all the same has its new row alone."""
    gauntlet: Path | None = None
    """The result file of a gauntlet: what its agents have more than each program stands in their rows."""
    workers: Annotated[Workers, tyro.conf.arg(name="")] = Workers()
    plot: bool = True
    """Whether to draw ladder.png."""

    def run(self) -> int:
        """Plays what is missing, prints the ladder and writes it into the folder; returns the exit status."""
        if self.plot:
            require_figures("--no-plot")
        try:
            played = play_ladder(
                self.out,
                self.agents,
                self.game,
                add=self.add,
                deals=self.deals,
                source=self.source,
                gauntlet=self.gauntlet,
                workers=self.workers,
            )
        except KeyboardInterrupt:
            return stopped(None, True)
        played.print_on(Console())
        if self.plot:
            draw_ladder(played.ladder, self.out / "ladder.png")
        print(f"written to {self.out}")
        return 0
