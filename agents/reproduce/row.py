"""One number of a table or figure, ours beside the paper's."""

from dataclasses import dataclass
from math import isfinite

from skat_env.match.statistics import CONFIDENCE, Estimate


@dataclass(frozen=True, slots=True)
class Row:
    """Our number, its label, and the paper's number."""

    label: tuple[str, ...]
    """A cell for each of the reproduction's columns."""
    mean: float
    low: float | None = None
    """The lower end of the 95% interval; None: there is no interval."""
    high: float | None = None
    p: float | None = None
    """The p-value of the Wilcoxon test; None: nothing was compared."""
    count: int | None = None
    """The number of deals or cases."""
    paper: str | None = None
    """The paper's number as printed, with a star if it is not significant; None: it prints none."""
    panel: str | None = None
    """The panel of the plot, named by its axis: that of the number, or on a curve that of `x`. None: not drawn."""
    x: float | None = None
    """The position on a curve."""
    line: str = ""
    """The name of the curve."""

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
    """The row of a paired comparison; a single deal has no interval."""
    sure = isfinite(estimate.low)
    low, high = (estimate.low, estimate.high) if sure else (None, None)
    return Row(label, estimate.mean, low, high, estimate.p, estimate.pairs, paper, panel, x, line)


def share(
    label: tuple[str, ...], part: int, whole: int, paper: str | None = None, panel: str | None = None
) -> Row | None:
    """The row of a percentage, with its Wilson interval, which assumes independent cases; None without cases."""
    from scipy.stats import binomtest

    if not whole:
        return None
    interval = binomtest(part, whole).proportion_ci(CONFIDENCE, "wilson")
    return Row(label, 100 * part / whole, 100 * interval.low, 100 * interval.high, None, whole, paper, panel)
