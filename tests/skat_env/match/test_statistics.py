import numpy as np
import pytest
from scipy import stats

from skat_env.match.statistics import estimate


def test_equal_to_scipy() -> None:
    values = np.random.default_rng(0).normal(0.3, 2.0, 500)
    result = estimate(values)
    interval = stats.t.interval(0.95, 499, values.mean(), stats.sem(values))
    assert result.mean == pytest.approx(values.mean())
    assert (result.low, result.high) == pytest.approx(interval)
    assert result.p == pytest.approx(stats.wilcoxon(values).pvalue)
    assert result.pairs == 500
    assert "[" in result.text()


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(1000):
        result = estimate(rng.normal(1.0, 3.0, 40))
        covered += result.low <= 1.0 <= result.high
    assert 930 <= covered <= 970


def test_small_and_equal_samples() -> None:
    assert estimate([0.0, 0.0, 0.0]).p == 1.0
    assert estimate([2.0]).low == -np.inf
    assert (estimate([2.0, 2.0]).low, estimate([2.0, 2.0]).high) == (2.0, 2.0)
    with pytest.raises(ValueError, match="at least one pair"):
        estimate([])


def test_one_deal_has_no_interval() -> None:
    single = estimate([2.5])
    assert single.text() == "+2.50 (no interval) p = 1"
    assert "inf" not in single.text()
    assert np.isinf(single.low)
