"""Tables of the quality of beliefs for a terminal."""

import math

from rich.box import SIMPLE_HEAD
from rich.table import Table

from skat_env.agents.inference_quality.summary import TRICKS, Quality
from skat_env.match.statistics import Ratio
from skat_env.tools.console import Console, milliseconds_text

MAX_NAME = 10
"""The longest name of a belief that leaves room for the figures in 80 columns."""


def print_quality(qualities: list[Quality], console: Console) -> None:
    """Prints for each game type and role the quality of each belief and its TSSR by trick."""
    names = list(dict.fromkeys(quality.belief for quality in qualities))
    labels = {name: name for name in names}
    if max(map(len, names), default=0) > MAX_NAME:
        labels = {name: chr(ord("A") + number) for number, name in enumerate(names)}
        for name, label in labels.items():
            console.print(f"{label} = {name}", highlight=False, soft_wrap=True)
    for type_, role in dict.fromkeys((quality.type, quality.role) for quality in qualities):
        group = [quality for quality in qualities if (quality.type, quality.role) == (type_, role)]
        title = f"{type_}, {role}: {group[0].games} games"
        console.print(_summary(f"{title}, over the first {TRICKS} tricks", group, labels))
        console.print(_tricks(f"{title}, TSSR by trick", group, labels))


def _table(title: str, columns: tuple[str, ...]) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        pad_edge=False,
        collapse_padding=True,
    )
    table.add_column("belief", overflow="fold")
    for name in columns:
        table.add_column(name, justify="right")
    return table


def _summary(title: str, qualities: list[Quality], labels: dict[str, str]) -> Table:
    columns = ("TSSR", "bits", "zero", "Brier", "calib.", "sample", "fell", "ms")
    table = _table(title, columns)
    for each in qualities:
        table.add_row(
            labels[each.belief],
            _mean(each.tssr),
            _mean(each.bits),
            f"{each.excluded:.1%}",
            f"{each.brier.mean:.3f}",
            f"{each.calibration_error:.3f}",
            "-" if math.isnan(each.effective_size) else _short(each.effective_size),
            f"{each.fallbacks:.1%}",
            milliseconds_text(each.milliseconds),
        )
    return table


def _tricks(title: str, qualities: list[Quality], labels: dict[str, str]) -> Table:
    tricks = [point for point in qualities[0].by_trick if point.at <= TRICKS]
    table = _table(title, tuple(str(point.at) for point in tricks))
    for each in qualities:
        table.add_row(
            labels[each.belief], *(_short(point.tssr.mean) for point in each.by_trick[: len(tricks)])
        )
    table.add_row("oracle", *(_short(point.oracle) for point in tricks))
    return table


def _mean(mean: Ratio) -> str:
    """`1.23±0.04`: the mean and half the width of its interval, which is left out if it is infinite."""
    half = (mean.high - mean.low) / 2
    digits = 2 if abs(mean.mean) < 10 else 1
    # Adding 0 turns a rounded -0 into 0.
    shown = f"{round(mean.mean, digits) + 0:.{digits}f}"
    return shown + (f"±{half:.{digits}f}" if math.isfinite(half) else "")


def _short(number: float) -> str:
    """`1.23`, `123`, `12345`, `1.2e6`."""
    if number < 100_000:
        return f"{number:.3g}" if number < 1000 else f"{number:.0f}"
    return f"{number:.1e}".replace("e+0", "e")
