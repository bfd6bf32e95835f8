"""One number of a table or figure: ours beside the paper's."""

from dataclasses import dataclass
from math import isfinite

from skat_env.match.statistics import CONFIDENCE, Estimate


@dataclass(frozen=True, slots=True)
class Row:
    """A number, what it is of, and what the paper has there."""

    label: tuple[str, ...]
    """What it is of, a cell for each of the reproduction's columns."""
    mean: float
    low: float | None = None
    """Lower end of the 95% interval; None: the number has none."""
    high: float | None = None
    p: float | None = None
    """Wilcoxon's; None: there is nothing to compare."""
    count: int | None = None
    """The deals or cases behind it."""
    paper: str | None = None
    """The paper's number as printed there: with a star where it is not significant; None: it prints none."""
    panel: str | None = None
    """The axis of the plot that it is measured along; for points of a curve, that of their `x`. None: not drawn."""
    x: float | None = None
    """Its place on a curve."""
    line: str = ""
    """The curve that it is on."""

    @property
    def paper_value(self) -> float | None:
        """The paper's number; None if it prints none."""
        return None if self.paper is None else float(self.paper.rstrip("*"))


def compared(
    label: tuple[str, ...],
    estimate: Estimate,
    paper: str | None = None,
    panel: str | None = None,
    x: float | None = None,
    line: str = "",
) -> Row:
    """The row of a paired comparison; one of a single deal has no interval."""
    sure = isfinite(estimate.low)
    low, high = (estimate.low, estimate.high) if sure else (None, None)
    return Row(label, estimate.mean, low, high, estimate.p, estimate.pairs, paper, panel, x, line)


def share(
    label: tuple[str, ...], part: int, whole: int, paper: str | None = None, panel: str | None = None
) -> Row | None:
    """The row of a share in percent with its Wilson interval, which takes the cases as independent; None: no cases."""
    from scipy.stats import binomtest

    if not whole:
        return None
    interval = binomtest(part, whole).proportion_ci(CONFIDENCE, "wilson")
    return Row(label, 100 * part / whole, 100 * interval.low, 100 * interval.high, None, whole, paper, panel)
