"""The tables of a gauntlet, for a terminal."""

from collections.abc import Callable, Sequence
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from skat_env.gauntlet.result import Encounter, Gauntlet
from skat_env.match.result import Declared
from skat_env.play.casts import Mode
from skat_env.registry import get_game
from skat_env.tools.console import Console

TITLES: Final[dict[Mode, str]] = {
    "all-seats": "full games, every seating with both",
    "alone": "full games, the agent alone against engines",
    "swapped": "from the first card on, each declaring against the other",
    "mirrored": "from the first card on, mirrored",
    "mixed": "from the first card on, mixed defenders",
}


def print_gauntlet(gauntlet: Gauntlet, console: Console) -> None:
    """Prints for each form the points of both, their difference, and what the agent declares and wins."""
    kinds = get_game(gauntlet.game).kinds
    kinds = kinds if len(kinds) > 1 else ()
    for form in dict.fromkeys(each.form for each in gauntlet.encounters):
        played = [each for each in gauntlet.encounters if each.form == form]
        console.print(f"{gauntlet.game}, {form}: {TITLES[form]}", style="bold", highlight=False)
        console.print(_table(played, ("points", "difference", "p", "deals"), _points))
        console.print(_table(played, ("declares", "wins", *kinds), lambda each: _games(each, kinds)))
    for each in gauntlet.encounters:
        sides = (each.agent, each.engine), (each.engine, each.agent)
        for (label, other), summary in zip(sides, each.summaries, strict=True):
            if summary.counts:
                console.print(f"{label} against {other}, {each.form}, {summary.counts_text()}")


def _table(
    played: Sequence[Encounter], names: Sequence[str], cells: Callable[[Encounter], tuple[str, ...]]
) -> Table:
    """A row for each encounter: who played, then some cells."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("agent", "engine"):
        table.add_column(name, overflow="fold")
    for name in names:
        table.add_column(name, justify="right")
    for each in played:
        table.add_row(each.agent, each.engine, *cells(each))
    return table


def _points(encounter: Encounter) -> tuple[str, ...]:
    """The points per game and seat of both, and the difference."""
    pair = encounter.comparison
    mean, interval, p = pair.difference.cells()
    points = f"{pair.points_a:.1f} : {pair.points_b:.1f}"
    return points, f"{mean} {interval}", p, str(pair.difference.pairs)


def _games(encounter: Encounter, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """What the agent declared, and won of it."""
    summary = encounter.summaries[0]
    declared = [summary.total, *(summary.declared.get(kind, Declared()) for kind in kinds)]
    return f"{summary.declared_share:.0%}", *(each.share_text() for each in declared)
