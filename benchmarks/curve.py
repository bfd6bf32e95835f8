"""What the curves of strength share: their points, and how those are drawn."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from agents.reproduce.bench import Played


def curve_point(played: Played, **facts: object) -> dict[str, Any]:
    """The difference of a match of two agents, and the time of a move of the first, with what else is known of it."""
    first, second = played.agents
    difference = played.comparison(first, second).difference
    return {**facts, **asdict(difference), "seconds_per_move": played.summary(first).seconds_per_move}


def draw_interval(axes: Any, x: Sequence[float], points: Sequence[dict[str, Any]], **style: Any) -> None:
    """Means with their 95% intervals over some figures; points have `mean`, `low` and `high`."""
    means = [point["mean"] for point in points]
    below = [point["mean"] - point["low"] for point in points]
    above = [point["high"] - point["mean"] for point in points]
    axes.errorbar(x, means, yerr=[below, above], marker="o", capsize=3, **style)
