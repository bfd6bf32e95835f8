"""Points of strength curves, and how to draw them."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from skat_env.agents.reproduce.bench import Played


def curve_point(played: Played, **facts: object) -> dict[str, Any]:
    """The paired difference in a match of two agents, the first one's time per move, and further facts."""
    first, second = played.agents
    difference = played.comparison(first, second).difference
    return {**facts, **asdict(difference), "seconds_per_move": played.summary(first).seconds_per_move}


def draw_interval(axes: Any, x: Sequence[float], points: Sequence[dict[str, Any]], **style: Any) -> None:
    """Draws a curve of means with 95% intervals; points have `mean`, `low` and `high`."""
    means = [point["mean"] for point in points]
    below = [point["mean"] - point["low"] for point in points]
    above = [point["high"] - point["mean"] for point in points]
    axes.errorbar(x, means, yerr=[below, above], marker="o", capsize=3, **style)
