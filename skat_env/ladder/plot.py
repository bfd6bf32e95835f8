"""The figure of a ladder: strength over time."""

from pathlib import Path

import numpy as np

from skat_env.ladder.benchmark import TRACKS
from skat_env.ladder.result import Ladder


def draw_ladder(ladder: Ladder, path: Path) -> None:
    """Points more than the strongest anchor, with 95% intervals, over the time of a decision: a panel a track."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    anchor = ladder.anchors[-1]
    figure, panels = plt.subplots(1, len(TRACKS), figsize=(12, 5), squeeze=False)
    for track, axes in zip(TRACKS, panels[0], strict=True):
        for row in ladder.rows:
            found = row.tracks.get(track)
            if found is None:
                continue
            value = found.against.get(anchor)
            mean, ends = (0.0, (0.0, 0.0)) if value is None else (value.mean, (value.low, value.high))
            reach = [[mean - ends[0]], [ends[1] - mean]] if np.isfinite(ends).all() else None
            axes.errorbar([found.milliseconds], [mean], yerr=reach, fmt="o", capsize=3)
            axes.annotate(
                row.agent,
                (found.milliseconds, mean),
                xytext=(5, 5),
                textcoords="offset points",
                fontsize="small",
            )
        axes.axhline(0, color="grey", linewidth=0.5)
        axes.set_xscale("log")
        axes.set_xlabel("milliseconds a decision")
        axes.set_ylabel(f"points a game and seat more than {anchor}")
        axes.set_title(f"{ladder.benchmark.game}: {track}")
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)
