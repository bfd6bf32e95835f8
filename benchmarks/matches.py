"""What the strength benchmarks share: a match by the command line, in a folder that goes on where it was stopped."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def match_result(folder: Path, agents: Sequence[str], **options: object) -> dict[str, Any]:
    """The result of a match, played or gone on with if need be; options are those of `skat-env match`."""
    command = [sys.executable, "-m", "skat_env", "match", "--agents", *agents]
    for name, value in options.items():
        if value is not None:
            command += [f"--{name}", str(value)]
    subprocess.run([*command, "--out", str(folder)], check=True)
    result: dict[str, Any] = json.loads((folder / "result.json").read_text())
    return result


def draw_interval(axes: Any, x: Sequence[float], points: Sequence[dict[str, Any]], **style: Any) -> None:
    """Means with their 95% intervals over some figures; points have `mean`, `low` and `high`."""
    means = [point["mean"] for point in points]
    below = [point["mean"] - point["low"] for point in points]
    above = [point["high"] - point["mean"] for point in points]
    axes.errorbar(x, means, yerr=[below, above], marker="o", capsize=3, **style)
