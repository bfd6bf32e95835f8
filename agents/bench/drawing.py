"""A report of the benchmark as a picture: curves, performance profiles and interquartile means."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from skat_env.agents.bench.evaluate import anchors, score
from skat_env.agents.bench.report import Report, interquartile_mean, performance_profile
from skat_env.agents.bench.task import OPPONENT, TASKS
from skat_env.tools.figures import saved_figure

LOWEST: Final = -0.5
"""The least score that is drawn: some learners bid wildly before they learn."""


def draw_report(report: Report, path: Path) -> None:
    """Draws curves: a row for each task, over steps and over the processor's time; the band is from least to most, the
    broken line the score of `rule`. Scores below `LOWEST` are cut off.

    Tasks of endings have another row, of exploitability. With several tasks the last row has the performance profiles
    of the last scores of learners that have runs of all tasks, and their interquartile means.
    """
    from matplotlib.ticker import EngFormatter

    rows = [(task, "scores") for task in report.tasks]
    rows += [(task, "exploitability") for task in report.tasks if TASKS[task].endings]
    over_all = len(report.tasks) > 1
    height = len(rows) + over_all
    colours = _colours(report)
    with saved_figure(path, height, 2, figsize=(9, 2.6 * height), layout="constrained") as (figure, axes):
        for row, (task, measured) in zip(axes, rows, strict=False):
            for axis, column, label in zip(
                row, ("steps", "seconds"), ("steps", "processor time, in yardsticks"), strict=True
            ):
                for learner, colour in colours.items():
                    runs = report.of(learner, task)
                    if runs is None:
                        continue
                    x, y = getattr(runs, column), getattr(runs, measured)
                    axis.plot(x, y.mean(0), label=learner, color=colour)
                    axis.fill_between(x, y.min(0), y.max(0), color=colour, alpha=0.15, linewidth=0)
                axis.axhline(0, color="grey", linewidth=0.6)
                if measured == "scores":
                    axis.axhline(_rule(task), color="black", linewidth=0.8, linestyle="--", label=OPPONENT)
                    axis.set_ylim(bottom=max(axis.get_ylim()[0], LOWEST))
                axis.set_xlabel(label, fontsize=8)
                axis.xaxis.set_major_formatter(EngFormatter())
                axis.set_title(task, fontsize=9)
            row[0].set_ylabel("score" if measured == "scores" else "exploitability, points")
        if over_all:
            _draw_over_all(report, colours, axes[-1])
        lines: dict[str, Any] = {}
        for axis in axes.flat:
            lines |= {label: line for line, label in zip(*axis.get_legend_handles_labels(), strict=True)}
        names = [name for name in (*colours, OPPONENT) if name in lines]
        figure.legend(
            [lines[name] for name in names],
            names,
            loc="outside upper center",
            fontsize=8,
            ncols=min(len(names), 6),
        )


def _colours(report: Report) -> dict[str, Any]:
    """A colour for each learner, by name: ten strong ones, then ten light ones."""
    from matplotlib import colormaps

    shades = colormaps["tab20"].colors  # type: ignore[attr-defined]  # a strong one and a light one in turn
    ordered = [*shades[::2], *shades[1::2]]
    return {name: ordered[number % len(ordered)] for number, name in enumerate(report.learners)}


def _rule(task: str) -> float:
    """The score of `rule` in a task."""
    return score(TASKS[task], anchors(TASKS[task])[OPPONENT])


def _draw_over_all(report: Report, colours: Mapping[str, Any], row: Any) -> None:
    """Draws performance profiles and interquartile means over all tasks."""
    profiles, means = row
    thresholds = np.linspace(LOWEST, 1.0, 151)
    for learner, colour in colours.items():
        scores = report.last_scores(learner, report.tasks)
        if scores is None:
            continue
        share, low, high = performance_profile(scores, thresholds)
        profiles.plot(thresholds, share, color=colour)
        profiles.fill_between(thresholds, low, high, color=colour, alpha=0.15, linewidth=0)
        mean = interquartile_mean(scores)
        means.plot([mean.low, mean.high], [learner, learner], color=colour, linewidth=5, alpha=0.4)
        means.plot(mean.value, learner, "o", color=colour)
    profiles.set_title("all tasks: performance profiles", fontsize=9)
    profiles.set_xlabel("score", fontsize=8)
    profiles.set_ylabel("share of runs above it")
    means.set_title("all tasks: interquartile means of scores", fontsize=9)
    means.tick_params(axis="y", labelsize=7)
