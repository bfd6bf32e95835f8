from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from skat_env.match.statistics import FEW, estimate, wilcoxon_p


def test_equal_to_scipy() -> None:
    values = np.random.default_rng(0).normal(0.3, 2.0, 500)
    result = estimate(values)
    interval = stats.t.interval(0.95, 499, values.mean(), stats.sem(values))
    assert result.mean == pytest.approx(values.mean())
    assert (result.low, result.high) == pytest.approx(interval)
    assert result.p == pytest.approx(stats.wilcoxon(values).pvalue)
    assert result.pairs == 500
    assert "[" in result.text()


@given(st.lists(st.integers(-3, 3), min_size=2, max_size=7).filter(any))
def test_few_values_try_all_signs(values: list[int]) -> None:
    """With values that are equal or 0, as points are; ranks of those that are not 0 are added up."""
    counted = [value for value in values if value]
    ranks = stats.rankdata(np.abs(counted))
    found = sum(rank for rank, value in zip(ranks, counted, strict=True) if value > 0)
    sums = [np.dot(ranks, signs) for signs in product((0, 1), repeat=len(ranks))]
    as_extreme = min(np.mean([each >= found for each in sums]), np.mean([each <= found for each in sums]))
    assert estimate(values).p == pytest.approx(min(1, 2 * as_extreme))


@pytest.mark.parametrize("count", [2, 5, FEW, FEW + 1, 51])
def test_without_equal_values_p_is_that_of_scipy(count: int) -> None:
    values = np.random.default_rng(count).normal(0.5, 1, count)
    assert estimate(values).p == pytest.approx(stats.wilcoxon(values).pvalue)


@pytest.mark.parametrize("count", [1, 3, 5, FEW, FEW + 1])
def test_pairs_that_are_equal_do_not_change_p(count: int) -> None:
    values = np.random.default_rng(count).normal(2, 1, count)
    assert estimate([*values, *[0.0] * 1000]).p == estimate([*values, 0.0]).p
    assert estimate([1.0] * count + [0.0] * 1000).p >= 2 * 0.5**count


@pytest.mark.parametrize("count", [5, FEW, 200])
def test_the_last_bits_of_means_do_not_change_p(count: int) -> None:
    """16/9 - 7/9 is not 1, nor 0.1 + 0.2 - 0.3 nothing."""
    for seed in range(20):
        first, second = np.random.default_rng(seed).integers(0, 100, (2, count)).astype(float)
        first[0] = second[0] + 1
        assert wilcoxon_p(first / 9 - second / 9) == wilcoxon_p((first - second) / 9)
    thirds = np.array([0.1 + 0.2 - 0.3, *range(1, count)])
    assert wilcoxon_p(thirds) == wilcoxon_p(thirds[1:])


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
