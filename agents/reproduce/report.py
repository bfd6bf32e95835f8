"""Reports of a reproduction: a table for the terminal or in Markdown, and a plot."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table

from skat_env.agents.reproduce.reproduction import SCALES, Reproduction, Size
from skat_env.agents.reproduce.row import Row
from skat_env.tools.figures import saved_figure

FIGURES = ("ours", "95% interval", "p", "n", "paper")
INCHES_PER_ROW = 0.22
PANELS_ACROSS = 4
DECADES = 20
"""The ratio of the largest to the smallest value from which an axis is logarithmic."""


def cells(row: Row) -> tuple[str, ...]:
    """The cells of a row after its label."""
    signed = row.p is not None
    number = "+.2f" if signed else ".2f"
    interval = "" if row.low is None or row.high is None else f"[{row.low:{number}}, {row.high:{number}}]"
    p = "" if row.p is None else "< 1e-6" if row.p < 1e-6 else f"{row.p:.2g}"
    count = "" if row.count is None else f"{row.count:,}"
    return f"{row.mean:{number}}", interval, p, count, row.paper or ""


def rich_table(reproduction: Reproduction, rows: Sequence[Row]) -> Table:
    """The table for a terminal."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in reproduction.columns:
        table.add_column(name)
    for name in FIGURES:
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row.label, *cells(row))
    return table


def markdown(reproduction: Reproduction, rows: Sequence[Row], made_by: str) -> str:
    """The result as a Markdown page. Points of curves that the paper has no number for are left to the plot, if there
    are other rows.
    """
    head = (*reproduction.columns, *FIGURES)
    listed = [row for row in rows if row.x is None or row.paper] or rows
    lines = [
        f"# {reproduction.title}",
        "",
        reproduction.about,
        "",
        made_by,
        "",
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(reproduction.columns) + "---:|" * len(FIGURES),
        *("| " + " | ".join((*row.label, *cells(row))) + " |" for row in listed),
    ]
    if any(row.paper and row.paper.endswith("*") for row in rows):
        lines += ["", "\\* not significant at p = 0.01 in the paper."]
    for note in reproduction.notes:
        lines += ["", note]
    return "\n".join(lines) + "\n"


def list_text(reproductions: Sequence[Reproduction]) -> str:
    """A list of all reproductions, with the models and the time that each needs."""
    lines = []
    for each in reproductions:
        needs = [
            name if model.spec is None else f"{name} = {model.spec}" for name, model in each.models.items()
        ]
        times = [f"{scale} {duration(each.sizes[scale])}" for scale in SCALES]
        lines += [f"{each.name}: {each.title}", f"    {', '.join(times)}", f"    needs {'; '.join(needs)}"]
    return "\n".join(lines)


def duration(size: Size) -> str:
    """`12 min` if measured, `~3 h` if estimated."""
    mark = "" if size.measured else "~"
    if size.minutes < 1:
        return f"{mark}{60 * size.minutes:.0f} s"
    if size.minutes < 120:
        return f"{mark}{size.minutes:.0f} min"
    hours = size.minutes / 60
    return f"{mark}{hours:.0f} h" if hours < 72 else f"{mark}{hours / 24:.0f} d"


def draw(reproduction: Reproduction, rows: Sequence[Row], path: Path) -> None:
    """Draws curves for rows with an `x`, otherwise a point for each row; crosses are the paper's numbers."""
    panels: dict[str, list[Row]] = {}
    for row in rows:
        if row.panel is not None:
            panels.setdefault(row.panel, []).append(row)
    tallest = max((len(own) for own in panels.values() if own[0].x is None), default=0)
    across = max(1, min(len(panels), PANELS_ACROSS))
    down = max(1, -(-len(panels) // across))
    size = (6 * across, down * max(4.0, INCHES_PER_ROW * tallest + 1))
    with saved_figure(path, down, across, figsize=size) as (figure, grid):
        for axes, (panel, own) in zip(grid.flat, panels.items(), strict=False):
            if own[0].x is None:
                _points(axes, own)
            else:
                _curves(axes, own)
                axes.set_ylabel(reproduction.unit)
            axes.set_xlabel(panel)
        figure.suptitle(reproduction.title)


def _errors(rows: Sequence[Row]) -> list[list[float]]:
    """The lengths of the error bars below and above the means."""
    below = [row.mean - (row.mean if row.low is None else row.low) for row in rows]
    above = [(row.mean if row.high is None else row.high) - row.mean for row in rows]
    return [below, above]


def _curves(axes: Any, rows: list[Row]) -> None:
    """Draws a line for each name, with error bars; with a band on a logarithmic axis, which has no place below 0."""
    decades = _spans_decades([row.mean for row in rows])
    for line in dict.fromkeys(row.line for row in rows):
        own = [row for row in rows if row.line == line]
        x, means = [row.x for row in own], np.array([row.mean for row in own])
        below, above = _errors(own)
        if decades:
            [drawn] = axes.plot(x, means, marker=".", label=line)
            low = np.maximum(means - below, means / DECADES)
            axes.fill_between(x, low, means + above, color=drawn.get_color(), alpha=0.15, linewidth=0)
        else:
            [drawn, *_] = axes.errorbar(x, means, [below, above], marker="o", capsize=3, label=line)
        printed = [row for row in own if row.paper_value is not None]
        if printed:
            axes.plot(
                [row.x for row in printed],
                [row.paper_value for row in printed],
                "x--",
                color=drawn.get_color(),
                alpha=0.5,
                label=f"{line}, paper".strip(", "),
            )
    if decades:
        axes.set_yscale("log")
    if _spans_decades([row.x for row in rows if row.x is not None]):
        axes.set_xscale("log")
    axes.legend()


def _spans_decades(values: Sequence[float]) -> bool:
    """Whether the values differ so much that they need a logarithmic axis."""
    return min(values) > 0 and max(values) > DECADES * min(values)


def _points(axes: Any, rows: list[Row]) -> None:
    """Draws a point for each row, from top to bottom."""
    places = list(range(len(rows)))
    axes.errorbar(
        [row.mean for row in rows], places, xerr=_errors(rows), fmt="o", capsize=3, markersize=4, label="ours"
    )
    printed = [
        (row.paper_value, place)
        for row, place in zip(rows, places, strict=True)
        if row.paper_value is not None
    ]
    if printed:
        axes.plot(*zip(*printed, strict=True), "x", color="grey", label="paper")
    if min(row.mean if row.low is None else row.low for row in rows) < 0:
        axes.axvline(0, color="grey", linewidth=0.8)
    axes.set_yticks(places, [" ".join(row.label) for row in rows], fontsize=7)
    axes.invert_yaxis()
    axes.legend()
