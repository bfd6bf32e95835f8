"""Measurements of expert: intervals are by game, and a game does not depend on those beside it."""

import numpy as np
import pytest
from scipy.stats import binomtest

from benchmarks.quality import expert_rules
from benchmarks.quality.assumptions import Tally
from skat_env.play.starts import draw_starts, start_source
from skat_env.registry import make_agent


def test_exclusions_of_a_game_are_no_more_than_one_to_the_interval() -> None:
    exclusions, wrong = [2, 4, 0, 6, 2, 4], [2, 0, 0, 2, 0, 4]
    share, low, high = Tally(exclusions, wrong).share()
    assert share == pytest.approx(sum(wrong) / sum(exclusions))
    assert 0 <= low < share < high <= 1
    half = Tally([each // 2 for each in exclusions], [each // 2 for each in wrong]).share()
    assert half == pytest.approx((share, low, high))


@pytest.mark.parametrize(
    ("exclusions", "wrong"), [([3, 0, 4, 2], [0, 0, 0, 0]), ([1, 0, 1, 1], [1, 0, 0, 0])]
)
def test_intervals_of_one_exclusion_a_game_or_of_none_wrong_are_wilsons(
    exclusions: list[int], wrong: list[int]
) -> None:
    interval = binomtest(sum(wrong), 3).proportion_ci(method="wilson")
    assert Tally(exclusions, wrong).share() == pytest.approx((sum(wrong) / 3, interval.low, interval.high))


@pytest.mark.slow
def test_games_do_not_depend_on_those_beside_them() -> None:
    starts = draw_starts("skat", start_source(expert_rules.SKAT, "cardplay", "policy", kind="suit"), 40, 1)
    agent = make_agent("policy(cardplay=sample)", "skat")
    few, many = (expert_rules.play(starts[:number], agent, agent, 1) for number in (20, 40))
    assert np.array_equal(few, many[:20])
