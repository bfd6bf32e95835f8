"""Curves of training runs from their metrics: figure 8 of Aaldering 2023 for a self-play run.

python benchmarks/learning_curve.py RUN [RUN ...] --out results/learning_curve.png [--metric strength]

A metric that has NAME_low and NAME_high beside it is drawn with its interval.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from tyro.conf import Positional, arg

from benchmarks.matches import draw_interval


@dataclass
class Options:
    """Curves of training runs from their metrics."""

    runs: Annotated[Positional[tuple[Path, ...]], arg(metavar="RUN")]
    """Folders of `skat-env train`."""
    out: Path
    """The picture."""
    metric: str = "strength"
    """What is drawn over the step."""
    label: str = "points over the opponent"
    """Of the axis."""


def curve(run: Path, metric: str) -> list[dict[str, float]]:
    """`x`, `mean`, `low` and `high` of every line of a run's metrics that has the metric.

    Raises:
        ValueError: if none has.
    """
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    points = [
        {
            "x": line["step"],
            "mean": line[metric],
            "low": line.get(f"{metric}_low", line[metric]),
            "high": line.get(f"{metric}_high", line[metric]),
        }
        for line in lines
        if metric in line
    ]
    if not points:
        known = sorted({name for line in lines for name in line} - {"step"})
        raise ValueError(f"{run} has no metric '{metric}': it has {', '.join(known)}")
    return points


def main() -> None:
    """Draws the curves."""
    options = tyro.cli(Options, description=__doc__)
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4))
    for run in options.runs:
        points = curve(run, options.metric)
        draw_interval(axes, [point["x"] for point in points], points, label=run.name, markersize=3)
    axes.set_xlabel("step")
    axes.set_ylabel(options.label)
    axes.legend()
    figure.tight_layout()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(options.out, dpi=150)
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()
