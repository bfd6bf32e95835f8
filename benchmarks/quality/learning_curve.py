"""Strength of agents during training, from the metrics of training runs.

python -m benchmarks.quality.learning_curve runs/skat --out results/learning_curve [--metric evaluation/rule/mean]

Reads the `metrics.jsonl` of `skat-env train sb3` (metric `evaluation/OPPONENT/mean`) and of `skat-env train
selfplay`, `dmc` and `expert` (metric `strength`), and writes the points as JSON and the curve as PNG.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from benchmarks.harness import run_benchmark
from skat_env.agents.learners.metrics import curve
from skat_env.agents.reproduce.curve import draw_interval
from skat_env.tools.figures import saved_figure
from skat_env.tools.files import with_ending
from skat_env.tools.provenance import write_result


@dataclass
class Options:
    """Strength of agents during training."""

    runs: Annotated[tyro.conf.Positional[tuple[Path, ...]], tyro.conf.arg(metavar="RUN")]
    """Folders of training runs, one curve each."""
    out: Path
    """Path of the files to write, without .json and .png."""
    metric: str = "evaluation/rule/mean"
    """Metric to draw, a mean with an interval."""
    unit: str = "points"
    """Unit of the metric."""


def main(options: Options) -> None:
    """Writes the points and the curve."""
    curves: dict[str, list[dict[str, Any]]] = {
        str(run): [asdict(point) for point in curve(run, options.metric)] for run in options.runs
    }
    if any(point["low"] is None for points in curves.values() for point in points):
        raise ValueError(f"metric '{options.metric}' has no interval: expected one of an evaluation")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with saved_figure(with_ending(options.out, ".png"), figsize=(6, 4)) as (_, [[axes]]):
        from matplotlib.ticker import EngFormatter

        for name, points in curves.items():
            draw_interval(axes, [point["step"] for point in points], points, label=name)
        axes.axhline(0, color="grey", linewidth=0.8)
        axes.set_xlabel("steps of training")
        axes.xaxis.set_major_formatter(EngFormatter())
        axes.set_ylabel(options.unit)
        axes.set_title(options.metric, fontsize=10)
        axes.legend()
    result = {"metric": options.metric, "unit": options.unit, "curves": curves}
    write_result(with_ending(options.out, ".json"), result)
    print(f"written to {options.out}.png and .json")


if __name__ == "__main__":
    run_benchmark(main, Options)
