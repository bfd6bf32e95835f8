"""`skat-env ladder`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from skat_env.ladder.benchmark import ladder_game, read_benchmark
from skat_env.ladder.folder import LadderFolder, ladder_folder
from skat_env.ladder.plot import draw_ladder
from skat_env.ladder.result import Ladder as Result
from skat_env.ladder.result import read_rows
from skat_env.ladder.row import Row
from skat_env.ladder.table import markdown, print_ladder
from skat_env.registry import make_agent
from skat_env.tools.console import Console
from skat_env.tools.extras import require_figures
from skat_env.tools.files import write_text
from skat_env.tools.interrupts import stopped
from skat_env.tools.provenance import write_result
from skat_env.tools.run_folder import say_finished
from skat_env.tools.workers import Workers, require_workers


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
    """The agents to play. Default: those of the folder, or in a new one those that ship."""
    add: str | None = None
    """An agent that the ladder does not have yet: it plays, and no other."""
    source: Annotated[Path | None, tyro.conf.arg(name="from")] = None
    """The result file of a ladder, whose agents are shown beside those of the folder and need not be played."""
    workers: Annotated[Workers, tyro.conf.arg(name="")] = Workers()
    plot: bool = True
    """Whether to draw ladder.png."""

    def run(self) -> int:
        """Plays what is missing, prints the ladder and writes it into the folder; returns the exit status."""
        require_workers(self.workers)
        benchmark = read_benchmark(self.game)
        deals = benchmark.deals if self.deals is None else self.deals
        if not 1 <= deals <= benchmark.deals:
            raise ValueError(
                f"--deals {deals}: the benchmark of {self.game} holds 1 to {benchmark.deals:,} deals"
            )
        if self.add is not None and self.agents is not None:
            raise ValueError("--add plays one agent, --agents those that it names: give one of them")
        anchors = ladder_game(self.game).anchors
        for agent in (*(self.agents or ()), *([] if self.add is None else [self.add])):
            make_agent(agent, self.game)
        others = [] if self.source is None else read_rows(self.source, benchmark, anchors)
        if self.plot:
            require_figures("--no-plot")
        with ladder_folder(self.out, benchmark) as folder:
            chosen = self._chosen(folder, others)
            if all(folder.has_played(agent, deals) for agent in chosen):
                say_finished("ladder", folder.path)
            try:
                for agent in chosen:
                    folder.play(agent, deals, self.workers)
            except KeyboardInterrupt:
                return stopped(None, True)
            rows = folder.rows()
            own = {row.name for row in rows}
            ladder = Result.of(benchmark, anchors, [*rows, *(row for row in others if row.name not in own)])
            print_ladder(ladder, Console())
            write_result(folder.path / "result.json", ladder.as_json())
            write_text(folder.path / "ladder.md", markdown(ladder))
            if self.plot:
                draw_ladder(ladder, folder.path / "ladder.png")
            print(f"written to {folder.path}")
        return 0

    def _chosen(self, folder: LadderFolder, others: list[Row]) -> list[str]:
        """The agents to play; those that are new get a place in the folder."""
        shown = {row.name for row in others}
        if self.add is not None:
            there = folder.find(self.add)
            is_shown = make_agent(self.add, self.game).name in shown
            if is_shown or (there is not None and folder.has_played(there)):
                raise FileExistsError(
                    f"the ladder has {there or self.add}: nothing is played; --agents plays it with more --deals"
                )
            if there is None:
                folder.add(self.add)
            return [there or self.add]
        is_new = len(folder.agents) == len(folder.anchors)
        wanted = self.agents or (*folder.agents, *(ladder_game(self.game).agents if is_new else ()))
        chosen = []
        for agent in wanted:
            there = folder.find(agent)
            if self.agents is None and make_agent(agent, self.game).name in shown:
                continue
            if there is None:
                folder.add(agent)
            chosen.append(there or agent)
        return chosen
