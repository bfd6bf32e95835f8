"""Ratings of leagues against what is known of them."""

import itertools

import pytest

from skat_env.match.league import league
from skat_env.match.play import MatchConfig, play_match


def test_ratings_know_who_is_best_in_whatever_order_agents_and_seats_come() -> None:
    """A clear winner is first, equals are equal, and the order of the list changes nothing but by rounding."""
    names = ("rule", "random", "exploring(agent=rule, share=0)")
    ratings = []
    for order in itertools.permutations(names):
        config = MatchConfig("skat", order, 60, 2)
        rows = league(config, [game for deal in play_match(config) for game in deal])
        assert rows[-1].agent == "random"
        assert rows[-1].mu < 25 < rows[0].mu
        ratings.append({row.agent: row.mu for row in rows})
    for name in names:
        assert max(each[name] for each in ratings) - min(each[name] for each in ratings) < 3


def test_equal_agents_have_equal_ratings() -> None:
    """An agent and one that plays as it does have the same result in every deal."""
    config = MatchConfig("skat", ("rule", "exploring(agent=rule, share=0)"), 40, 2)
    first, second = league(config, [game for deal in play_match(config) for game in deal])
    assert first.mu == pytest.approx(second.mu, abs=1e-9)
    assert first.mu == pytest.approx(25, abs=1e-9)
