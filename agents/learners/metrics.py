"""The curves that training runs leave in their `metrics.jsonl`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skat_env.errors import ParseError
from skat_env.tools.parsing import parse_json


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A metric at a step of the training."""

    step: int
    mean: float
    low: float | None
    """Lower end of the 95% interval; None: it has none."""
    high: float | None


def read_metrics(path: Path) -> list[dict[str, Any]]:
    """The lines of a file. Half of a last line, which a killed run may have left, is left out.

    Raises:
        OSError: if there is none.
        ParseError: if a line is damaged.
    """
    content = path.read_bytes()
    whole, _, last = content.rpartition(b"\n")
    try:
        parse_json(last)
    except ValueError:
        content = whole
    return parse_metrics(path, content)


def parse_metrics(path: Path, content: bytes) -> list[dict[str, Any]]:
    """The lines of a file with some content.

    Raises:
        ParseError: if a line is damaged.
    """
    lines = []
    for number, line in enumerate(content.splitlines(), 1):
        try:
            found = parse_json(line)
            int(found["step"])
        except (ValueError, TypeError, KeyError):
            raise ParseError(
                f"{path}, line {number} is damaged; nothing is changed: remove the file to go on without its lines, "
                "or name another folder"
            ) from None
        lines.append(found)
    return lines


def curve(run: Path, metric: str) -> list[CurvePoint]:
    """A metric of a run by step.

    Args:
        run: its folder.
        metric: a mean. The interval of NAME is NAME_low to NAME_high, that of NAME/mean is NAME/low to NAME/high.

    Raises:
        OSError: if there is no such run.
        ParseError: if a line is damaged.
        ValueError: if it has no such metric.
    """
    lines = read_metrics(run / "metrics.jsonl")
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
