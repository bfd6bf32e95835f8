"""The figure of a ladder: strength over time."""

from itertools import cycle, product
from pathlib import Path
from typing import Final

import numpy as np

from skat_env.ladder.benchmark import TRACKS
from skat_env.ladder.report import TITLES
from skat_env.ladder.result import Ladder
from skat_env.tools.figures import saved_figure

COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#555555")
"""Colours that colour-blind people can tell apart (Okabe and Ito 2008)."""
MARKERS: Final = ("o", "s", "^", "D")
TICKS: Final = (-100, -50, -20, -10, -5, 0, 5, 10, 20, 50, 100)
LINEAR: Final = 10
"""Points up to which the axis is linear. It is logarithmic beyond, so that weak agents do not flatten the strong."""


def draw_ladder(ladder: Ladder, path: Path) -> None:
    """Points more than the strongest anchor, with 95% intervals, over the time of a decision: a panel a track."""
    anchor = ladder.anchors[-1]
    with saved_figure(path, 1, len(TRACKS), figsize=(12, 5.5), layout="constrained") as (figure, panels):
        looks = dict(zip((row.agent for row in ladder.rows), cycle(product(MARKERS, COLOURS)), strict=False))
        for track, axes in zip(TRACKS, panels[0], strict=True):
            for row in ladder.rows:
                found = row.tracks.get(track)
                if found is None:
                    continue
                value = found.against.get(anchor)
                mean, ends = (0.0, (0.0, 0.0)) if value is None else (value.mean, (value.low, value.high))
                reach = [[mean - ends[0]], [ends[1] - mean]] if np.isfinite(ends).all() else None
                marker, colour = looks[row.agent]
                axes.errorbar(
                    [found.milliseconds],
                    [mean],
                    yerr=reach,
                    fmt=marker,
                    color=colour,
                    capsize=3,
                    label=row.agent,
                )
            axes.axhline(0, color="grey", linewidth=0.5)
            axes.set_xscale("log")
            if np.abs(axes.get_ylim()).max() > LINEAR:
                axes.set_yscale("symlog", linthresh=LINEAR)
                shown = axes.get_ylim()
                axes.set_yticks(TICKS, [f"{tick:+d}" if tick else "0" for tick in TICKS])
                axes.set_yticks([], minor=True)
                axes.set_ylim(shown)
            axes.set_xlabel("milliseconds per decision")
            axes.set_title(f"{ladder.benchmark.game}: {TITLES[track]}")
        panels[0][0].set_ylabel(f"points per game and seat more than {anchor}")
        named = {
            label: handle
            for axes in panels[0]
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        figure.legend(
            named.values(), named.keys(), loc="outside lower center", ncols=3, fontsize="small", frameon=False
        )
