"""Throws and gifts for people: a terminal of 80 columns."""

from itertools import groupby
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.table import Table

from skat_env.solvers.throws import ALL, Rate, ThrowRow, Throws
from skat_env.tools.console import Console

_AGENTS: Final = 8
"""The number of agents that are shown, those with the most cards."""


def print_throws(throws: Throws, console: Console) -> None:
    """Prints what was thrown away and given: by agent and role, then by role and trick."""
    rows = throws.rows()
    agents = list(dict.fromkeys(row.agent for row in rows if row.agent != ALL))
    shown = (ALL, *(agents[:_AGENTS] if len(agents) > 1 else ()))
    console.print(
        f"{throws.game}: {throws.games} games; of positions won with open cards those thrown away, of lost ones those "
        "given by an opponent, where there was a choice of cards, with 95% intervals",
        highlight=False,
    )
    if len(agents) > _AGENTS:
        console.print(f"{len(agents)} agents, of whom {_AGENTS} are shown; --json has all", highlight=False)
    of_agents = [row for row in rows if row.trick == ALL and row.agent in shown]
    console.print(_table("agent", of_agents))
    of_tricks = [row for row in rows if row.agent == ALL and ALL not in (row.role, row.trick)]
    console.print(_table("trick", of_tricks))


def _table(by: str, rows: list[ThrowRow]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(by, overflow="fold")
    table.add_column("role", no_wrap=True)
    for name in ("won", "thrown", "lost", "given"):
        table.add_column(name, justify="right", no_wrap=True)
    for _, group in groupby(rows, lambda row: row.agent if by == "agent" else row.role):
        some = list(group)
        for number, row in enumerate(some, start=1):
            first = row.agent if by == "agent" else row.trick
            cells = (*_cells(row.thrown), *_cells(row.given))
            table.add_row(first, row.role, *cells, end_section=number == len(some))
    return table


def _cells(rate: Rate) -> tuple[str, str]:
    """The chances, and the share with its interval."""
    if rate.share is None:
        return "0", "-"
    half = (rate.share.high - rate.share.low) / 2
    return str(rate.chances), f"{rate.share.mean:.1%}" + (f" ± {half:.1%}" if rate.share.clusters > 1 else "")
