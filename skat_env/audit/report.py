"""The tables of an audit, for a terminal of 80 columns."""

import math

from rich.box import SIMPLE_HEAD
from rich.table import Table

from skat_env.audit.result import AuditResult, Group
from skat_env.match.statistics import Ratio
from skat_env.tools.console import Console


def print_audit(result: AuditResult, console: Console) -> None:
    """Prints what the differences are worth: all, by role, by kind of game and by trick."""
    config = result.config
    games = config.source or f"played by {config.games_by}"
    console.print(
        f"{config.game}: {result.games} games {games}, differences played out by {config.players}",
        highlight=False,
        soft_wrap=True,
    )
    for line in (
        f"A = {config.agents[0]}",
        f"B = {config.agents[1]}",
        "points per game and seat that A's card brings more than B's, with 95% intervals",
    ):
        console.print(line, highlight=False, soft_wrap=True)
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("", no_wrap=True)
    for name in ("asked", "differ", "a game", "level", "points each", "points per game"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_row("all", *_cells(result.whole), end_section=True)
    for by, groups in result.groups.items():
        if len(groups) == 1:
            continue
        for number, (name, group) in enumerate(groups.items(), start=1):
            named = f"trick {name}" if by == "trick" else name
            table.add_row(named, *_cells(group), end_section=number == len(groups))
    console.print(table)


def _cells(group: Group) -> list[str]:
    """The cells of a group; 95% intervals are symmetric."""
    return [
        str(group.asked),
        "-" if group.share is None else f"{group.share.mean:.1%}",
        f"{group.differing_a_game.mean:.2f}",
        f"{group.level / group.differing:.0%}" if group.differing else "-",
        _with_interval(group.points),
        _with_interval(group.points_a_game),
    ]


def _with_interval(value: Ratio | None) -> str:
    if value is None:
        return "-"
    half = (value.high - value.low) / 2
    known = math.isfinite(half)
    # Wider figures would not fit into 80 columns.
    decimals = 2 if max(abs(value.mean), half if known else 0.0) < 99.995 else 0
    return f"{value.mean:+.{decimals}f}" + (f" ± {half:.{decimals}f}" if known else "")
