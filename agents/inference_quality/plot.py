"""Figures: TSSR by cards played, as in Rebstock 2019, figure 5.1, and reliability curves."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from skat_env.agents.inference_quality.summary import Bin, Quality
from skat_env.tools.figures import saved_figure


def draw_tssr(qualities: list[Quality], path: Path) -> None:
    """A panel for each game type and role: a line with its 95% band for each belief, and the oracle."""
    with _panels(qualities, path) as panels:
        for (type_, role), axes in panels.items():
            group = [each for each in qualities if (each.type, each.role) == (type_, role)]
            for each in group:
                points = [point for point in each.by_cards if point.tssr.mean > 0]
                cards = [point.at for point in points]
                means = np.array([point.tssr.mean for point in points])
                [line] = axes.plot(cards, means, marker=".", label=each.belief)
                # A logarithmic axis cannot show the part of an interval below zero.
                low = np.maximum([point.tssr.low for point in points], means / 100)
                high = np.minimum([point.tssr.high for point in points], means * 100)
                axes.fill_between(cards, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
            oracle = [(point.at, point.oracle) for point in group[0].by_cards]
            axes.plot(*zip(*oracle, strict=True), "--", color="grey", label="oracle")
            axes.set_yscale("log")
            axes.set_ylim(bottom=0.5)
            axes.set_title(f"{type_}, {role}, {group[0].games} games", fontsize="medium")
            axes.set_xlabel("cards played")
            axes.set_ylabel("TSSR")


def draw_reliability(qualities: list[Quality], path: Path) -> None:
    """A panel for each game type and role: the share of cards that lie at a place, by the predicted probability."""
    with _panels(qualities, path) as panels:
        for (type_, role), axes in panels.items():
            axes.plot([0, 1], [0, 1], "--", color="grey", label="calibrated")
            for each in qualities:
                if (each.type, each.role) == (type_, role):
                    bins: list[Bin] = [one for one in each.reliability if one.number]
                    axes.plot(
                        [one.said for one in bins], [one.true for one in bins], marker=".", label=each.belief
                    )
            axes.set_title(f"{type_}, {role}", fontsize="medium")
            axes.set_xlabel("probability of a card's place")
            axes.set_ylabel("share that lies there")


@contextmanager
def _panels(qualities: list[Quality], path: Path) -> Iterator[dict[tuple[str, str], Any]]:
    """The axes by game type (a row each) and role of a figure, which is saved when the block ends."""
    types = list(dict.fromkeys(each.type for each in qualities))
    roles = list(dict.fromkeys(each.role for each in qualities))
    size = (5 * len(roles), 3.4 * len(types))
    with saved_figure(path, len(types), len(roles), 120, figsize=size) as (_, axes):
        yield dict(zip(product(types, roles), axes.flat, strict=True))
        axes[0, 0].legend(fontsize="small", loc="best")
