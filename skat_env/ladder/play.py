"""A ladder in one line of Python: where agents stand on a game's fixed benchmark."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skat_env.ladder.benchmark import Benchmark, ladder_game, read_benchmark
from skat_env.ladder.folder import LadderFolder, ladder_folder
from skat_env.ladder.report import markdown, print_ladder
from skat_env.ladder.result import Ladder, read_programs, read_rows
from skat_env.ladder.row import Row
from skat_env.registry import make_agent
from skat_env.tools.console import Console, Printed
from skat_env.tools.files import write_text
from skat_env.tools.provenance import write_result
from skat_env.tools.run_folder import say_finished
from skat_env.tools.workers import Workers, require_workers


@dataclass(frozen=True, slots=True)
class PlayedLadder(Printed):
    """A ladder that was played: printed it is its tables."""

    ladder: Ladder
    """Its rows, best first."""
    folder: Path

    def print_on(self, console: Console) -> None:
        """Prints the tables of each track."""
        print_ladder(self.ladder, console)


def play_ladder(
    out: Path | str,
    agents: Sequence[str] | None = None,
    game: str = "skat",
    *,
    add: str | None = None,
    deals: int | None = None,
    source: Path | None = None,
    gauntlet: Path | None = None,
    workers: Workers | int = 1,
) -> PlayedLadder:
    """Plays agents on a game's fixed benchmark against the same two anchors, and says where each stands.

    `print(play_ladder("results/ladder", ["random", "pimc(worlds=10)"], deals=20))`

    Args:
        out: the folder of the ladder: its matches, result.json and ladder.md. The same call goes on with one that was
            stopped, and more deals go on with the games that are there.
        agents: the agents to play, by name; None: those of the folder, or in one with the anchors
            alone those that ship.
        game: the game to play.
        add: an agent that the ladder does not have yet: it plays, and no other.
        deals: the first this many deals of both tracks; None: all.
        source: the result file of a ladder, whose agents are shown beside those of the folder and need not be played.
        gauntlet: the result file of a gauntlet, whose points more than each program stand in the rows of its agents.
        workers: who plays; the games do not depend on it.

    Raises:
        ValueError: if there are not so many deals, or both `agents` and `add` are given.
        FileExistsError: if the ladder has the agent to add, or the folder holds something else.
        UnknownName: if there is no such game or agent.
    """
    crew = require_workers(workers)
    benchmark = read_benchmark(game)
    wanted = benchmark.deals if deals is None else deals
    if not 1 <= wanted <= benchmark.deals:
        raise ValueError(f"--deals {wanted}: the benchmark of {game} holds 1 to {benchmark.deals:,} deals")
    if add is not None and agents is not None:
        raise ValueError("--add plays one agent, --agents those that it names: give one of them")
    for agent in (*(agents or ()), *([] if add is None else [add])):
        make_agent(agent, game)
    anchors = ladder_game(game).anchors
    others = [] if source is None else read_rows(source, benchmark, anchors)
    programs = {} if gauntlet is None else read_programs(gauntlet, benchmark)
    with ladder_folder(Path(out), benchmark) as folder:
        chosen = _chosen(folder, benchmark, agents, add, {row.name for row in others})
        if all(folder.has_played(agent, wanted) for agent in chosen):
            say_finished("ladder", folder.path)
        for agent in chosen:
            folder.play(agent, wanted, crew)
        rows: list[Row] = folder.rows()
        # By name and by text: the same text may have stood for an older agent, another text stands for the same.
        own = {text for row in rows for text in (row.agent, row.name)}
        rows += [row for row in others if own.isdisjoint((row.agent, row.name))]
        rows = [replace(row, programs={**row.programs, **programs.get(row.name, {})}) for row in rows]
        ladder = Ladder.of(benchmark, anchors, rows)
        write_result(folder.path / "result.json", ladder.as_json())
        write_text(folder.path / "ladder.md", markdown(ladder))
    return PlayedLadder(ladder, Path(out))


def _chosen(
    folder: LadderFolder, benchmark: Benchmark, agents: Sequence[str] | None, add: str | None, shown: set[str]
) -> list[str]:
    """The agents to play; those that are new get a place in the folder."""
    if add is not None:
        there = folder.find(add)
        is_shown = make_agent(add, benchmark.game).name in shown
        if is_shown or (there is not None and folder.has_played(there)):
            raise FileExistsError(
                f"the ladder has {there or add}: nothing is played; --agents plays it with more --deals"
            )
        if there is None:
            folder.add(add)
        return [there or add]
    has_anchors_alone = len(folder.agents) == len(folder.anchors)
    shipped = ladder_game(benchmark.game).agents if has_anchors_alone else ()
    wanted = agents or (*folder.agents, *shipped)
    chosen = []
    for agent in wanted:
        there = folder.find(agent)
        if agents is None and make_agent(agent, benchmark.game).name in shown:
            continue
        if there is None:
            folder.add(agent)
        chosen.append(there or agent)
    return chosen
