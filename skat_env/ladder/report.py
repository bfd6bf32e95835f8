"""The tables of a ladder, for a terminal and as markdown."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from skat_env.ladder.benchmark import TRACKS, Track
from skat_env.ladder.result import Ladder
from skat_env.ladder.row import Standing
from skat_env.match.result import Declared
from skat_env.match.statistics import Estimate
from skat_env.registry import get_game
from skat_env.tools.console import Console, milliseconds_text

TITLES: Final[dict[Track, str]] = {
    "deals": "full games, every seating",
    "cardplay": "from the first card on, mirrored",
}


@dataclass(frozen=True, slots=True)
class Columns:
    """Some columns of a table, with their cells by row."""

    names: tuple[str, ...]
    cells: list[tuple[str, ...]]


def print_ladder(ladder: Ladder, console: Console) -> None:
    """Prints the tables of each track: the points more than each anchor, then the wins and the time."""
    for track, (agents, *others) in ladder_tables(ladder).items():
        for columns in others:
            title = f"{ladder.benchmark.game}: {TITLES[track]}"
            table = Table(
                title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False
            )
            for number, name in enumerate((*agents.names, *columns.names)):
                table.add_column(name, justify="right" if number else "left", overflow="fold")
            for agent, cells in zip(agents.cells, columns.cells, strict=True):
                table.add_row(*agent, *cells)
            console.print(table)


def markdown(ladder: Ladder) -> str:
    """The tables as markdown, one for each track."""
    lines: list[str] = []
    for track, (agents, *others) in ladder_tables(ladder).items():
        names = [*agents.names, *(name for columns in others for name in columns.names)]
        lines += [f"**{ladder.benchmark.game}: {TITLES[track]}**", ""]
        lines += [_line(names), _line(["---", *["---:"] * (len(names) - 1)])]
        for number, (agent, *counts) in enumerate(agents.cells):
            lines.append(
                _line([f"`{agent}`", *counts, *(cell for each in others for cell in each.cells[number])])
            )
        lines.append("")
    return "\n".join(lines)


def ladder_tables(ladder: Ladder) -> dict[Track, list[Columns]]:
    """The columns of each track that was played: who, the points more than each anchor, wins and time."""
    kinds = get_game(ladder.benchmark.game).kinds
    kinds = kinds if len(kinds) > 1 else ()
    tables: dict[Track, list[Columns]] = {}
    for track in TRACKS:
        rows = [row for row in ladder.rows if track in row.tracks]
        found = [(row.agent, row.tracks[track]) for row in rows]
        if not found:
            continue
        programs = tuple(dict.fromkeys(name for row in rows for name in row.programs))
        tables[track] = [
            Columns(("agent", "deals"), [(agent, str(each.deals)) for agent, each in found]),
            *(
                Columns((f"against {anchor}", "p"), [_cells(each.against.get(anchor)) for _, each in found])
                for anchor in ladder.anchors
            ),
            Columns(("wins", *kinds, "ms"), [_wins(each, kinds) for _, each in found]),
        ]
        if programs and track == "deals":
            names = tuple(f"alone against {name}" for name in programs)
            cells = [tuple(_cells(row.programs.get(name))[0] for name in programs) for row in rows]
            tables[track].append(Columns(names, cells))
    return tables


def _cells(value: Estimate | None) -> tuple[str, str]:
    """The mean with its interval, and p; dashes for an anchor against itself."""
    if value is None:
        return "-", "-"
    mean, interval, p = value.cells()
    return f"{mean} {interval}", p


def _wins(found: Standing, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """The share won of all games declared and of each kind, and the milliseconds per decision."""
    every = found.declared.values()
    total = Declared(sum(each.games for each in every), sum(each.won for each in every))
    declared = [total, *(found.declared.get(kind, Declared()) for kind in kinds)]
    return *(each.share_text() for each in declared), milliseconds_text(found.milliseconds)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
