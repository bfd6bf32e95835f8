"""The tables of a gauntlet, for a terminal."""

from typing import Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from skat_env.gauntlet.result import Encounter, Gauntlet
from skat_env.match.result import AgentSummary
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
        title = f"{gauntlet.game}, {form}: {TITLES[form]} (points per game and seat)"
        table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
        for name in ("agent", "engine"):
            table.add_column(name, overflow="fold")
        for name in ("points", "difference", "p", "deals", "declares", "wins", *kinds):
            table.add_column(name, justify="right")
        for each in gauntlet.encounters:
            if each.form == form:
                table.add_row(*_cells(each, kinds))
        console.print(table)
    for each in gauntlet.encounters:
        for label, summary in zip((each.agent, each.engine), each.summaries, strict=True):
            if summary.counts:
                counts = ", ".join(f"{number:,} {what}" for what, number in sorted(summary.counts.items()))
                console.print(f"{label} in {summary.moves:,} decisions ({each.form}, {each.agent}): {counts}")


def _cells(encounter: Encounter, kinds: tuple[str, ...]) -> tuple[str, ...]:
    pair, summary = encounter.comparison, encounter.summaries[0]
    value, total = pair.difference, summary.total
    return (
        encounter.agent,
        encounter.engine,
        f"{pair.points_a:.1f} : {pair.points_b:.1f}",
        value.text(),
        "< 1e-6" if value.p < 1e-6 else f"{value.p:.2g}",
        str(value.pairs),
        f"{summary.declared_share:.0%}",
        _share(total.won, total.games),
        *(_kind(summary, kind) for kind in kinds),
    )


def _kind(summary: AgentSummary, kind: str) -> str:
    games = summary.declared.get(kind)
    return "-" if games is None else _share(games.won, games.games)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.0%}" if whole else "-"
