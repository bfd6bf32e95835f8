"""Paired comparisons: the mean difference, its 95% interval and the Wilcoxon signed-rank p-value."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from skat_env.options import check_array

CONFIDENCE = 0.95
FEW: Final = 13
"""The most values of which `scipy.stats.wilcoxon` tries all signs if some are equal."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean difference over independent pairs, with its uncertainty."""

    mean: float
    low: float
    """Lower end of the 95% interval (Student's t)."""
    high: float
    p: float
    """Two-sided Wilcoxon signed-rank p-value of "no difference"; 1 if all pairs are equal."""
    pairs: int

    def text(self) -> str:
        """The estimate as text: `+1.23 [0.45, 2.01] p = 0.002`."""
        p = self._p_text()
        return f"{self.mean:+.2f} {self.interval_text()} p {p if p.startswith('<') else f'= {p}'}"

    def interval_text(self) -> str:
        """The interval as text: `[0.45, 2.01]`; `(no interval)` for a single pair."""
        return "(no interval)" if self.pairs < 2 else f"[{self.low:+.2f}, {self.high:+.2f}]"

    def cells(self) -> tuple[str, str, str]:
        """The mean, the interval and p as cells of a table; a single pair has dashes for the last two."""
        if self.pairs < 2:
            return f"{self.mean:+.2f}", "-", "-"
        return f"{self.mean:+.2f}", self.interval_text(), self._p_text()

    def _p_text(self) -> str:
        return "< 1e-6" if self.p < 1e-6 else f"{self.p:.2g}"


def estimate(differences: ArrayLike) -> Estimate:
    """The estimate from the difference of each pair; the interval is infinite with fewer than two pairs.

    >>> estimate([1.0, 2.0, 3.0, 4.0]).text()
    '+2.50 [+0.45, +4.55] p = 0.12'

    Raises:
        ValueError: if there are no pairs, or a difference is no finite number.
    """
    values = check_array("a comparison", "differences", np.float64, differences)
    if values.size == 0:
        raise ValueError("a comparison needs at least one pair of games")
    mean = float(values.mean())
    if values.size < 2:
        return Estimate(mean, -np.inf, np.inf, 1.0, values.size)
    if not values.any():
        return Estimate(0.0, 0.0, 0.0, 1.0, values.size)
    low, high = interval(values)
    return Estimate(mean, low, high, wilcoxon_p(values), values.size)


def wilcoxon_p(values: NDArray[np.float64]) -> float:
    """The two-sided p-value of `scipy.stats.wilcoxon`, values of 0 left out.

    Values are rounded to a billionth: differences of means, as 16/9 - 7/9, differ from others in the last bits.
    Of few values scipy ranks anew for each choice of signs, which takes seconds; ranks do not depend on signs.

    Args:
        values: float64 [n].
    """
    from scipy import stats

    rounded = np.round(values, 9)
    differing = rounded[rounded != 0]
    if differing.size < 2:
        return 1.0
    if differing.size > FEW:
        return float(stats.wilcoxon(differing).pvalue)
    ranks = stats.rankdata(np.abs(differing))

    def positive_ranks(signed: NDArray[np.float64], axis: int) -> Any:
        return np.where(signed > 0, ranks, 0).sum(axis)

    return float(stats.permutation_test((differing,), positive_ranks, permutation_type="samples").pvalue)


@dataclass(frozen=True, slots=True)
class Ratio:
    """The ratio of two sums over independent clusters, as the decisions of games are, with its uncertainty."""

    mean: float
    low: float
    """Lower end of the 95% interval, from the residuals of the clusters (linearization; Student's t)."""
    high: float
    clusters: int
    """The number of clusters that count: those in which the lower sum has something."""


def ratio(tops: ArrayLike, bottoms: ArrayLike, clusters: Sequence[Hashable] | None = None) -> Ratio:
    """The sum of the tops over the sum of the bottoms; the interval is infinite with fewer than two clusters that
    count.

    Args:
        tops: float64 [n].
        bottoms: float64 [n].
        clusters: n of them; what tells the clusters apart. None: each row is one.

    Raises:
        ValueError: if a number is not finite, there are not as many of both, or no cluster counts.
    """
    from scipy import stats

    top = check_array("a ratio", "tops", np.float64, tops)
    bottom = check_array("a ratio", "bottoms", np.float64, bottoms)
    if top.size != bottom.size:
        raise ValueError(f"a ratio of {top.size} tops to {bottom.size} bottoms: expected as many of both")
    if clusters is not None:
        numbers: dict[Hashable, int] = {}
        of = [numbers.setdefault(cluster, len(numbers)) for cluster in clusters]
        top, bottom = np.bincount(of, top), np.bincount(of, bottom)
    counted = bottom != 0
    top, bottom = top[counted], bottom[counted]
    if bottom.sum() == 0:
        raise ValueError("a ratio needs bottoms that do not come to 0")
    mean, size = float(top.sum() / bottom.sum()), int(top.size)
    if size < 2:
        return Ratio(mean, -np.inf, np.inf, size)
    residuals = top - mean * bottom
    error = float(np.sqrt(size / (size - 1) * (residuals**2).sum()) / bottom.sum())
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, size - 1)) * error
    return Ratio(mean, mean - half, mean + half, size)


def mean_by_deal(values: ArrayLike, deals: Sequence[Hashable]) -> Ratio:
    """The mean of values, with an interval by deal: those of a deal share its luck.

    Args:
        values: float64 [n].
        deals: n of them; what tells deals apart.
    """
    return ratio(values, np.ones(len(deals)), deals)


def interval(values: ArrayLike) -> tuple[float, float]:
    """The ends of the mean's 95% interval (Student's t); infinite with fewer than two values."""
    from scipy import stats

    array = check_array("an interval", "values", np.float64, values)
    if array.size < 2:
        return -np.inf, np.inf
    mean = float(array.mean())
    if np.ptp(array) == 0:
        return mean, mean
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, array.size - 1) * stats.sem(array))
    return mean - half, mean + half
