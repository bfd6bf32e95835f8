"""The curves that training runs leave in their `metrics.jsonl`."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A metric at a step of the training."""

    step: int
    mean: float
    low: float | None
    """Lower end of the 95% interval; None: it has none."""
    high: float | None


def curve(run: Path, metric: str) -> list[CurvePoint]:
    """A metric of a run by step.

    Args:
        run: its folder.
        metric: a mean. The interval of NAME is NAME_low to NAME_high, that of NAME/mean is NAME/low to NAME/high.

    Raises:
        OSError: if there is no such run.
        ValueError: if it has no such metric.
    """
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    stem, between = (metric.removesuffix("/mean"), "/") if metric.endswith("/mean") else (metric, "_")
    points = [
        CurvePoint(
            int(line["step"]),
            line[metric],
            line.get(f"{stem}{between}low"),
            line.get(f"{stem}{between}high"),
        )
        for line in lines
        if metric in line
    ]
    if not points:
        known = sorted({name for line in lines for name in line} - {"step"})
        raise ValueError(f"{run} has no metric '{metric}': it has {', '.join(known) or 'none'}")
    return points
