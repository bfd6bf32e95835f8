"""Races: what a plain loop over worlds finds, who drops out, and when a race ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from skat_env.agents.search.race import FIRST_WORLDS, Tried, try_actions
from skat_env.play.deadline import Deadline, under


def tried(
    values: NDArray[np.float64], race: float | None, kept: int | None = None, weights: object = None
) -> tuple[Tried, int]:
    """A race of actions 10, 11, ... by their values [worlds, actions], and how many values were asked for."""
    asked = 0

    def values_of(first: int, end: int, actions: list[int]) -> NDArray[np.float64]:
        nonlocal asked
        asked += (end - first) * len(actions)
        return values[first:end, [action - 10 for action in actions]]

    given_weights = np.full(len(values), 1 / len(values)) if weights is None else np.asarray(weights)
    return try_actions(values_of, given_weights, list(range(10, 10 + values.shape[1])), race, kept), asked


@given(st.integers(0, 10**6), st.integers(1, 100), st.integers(1, 6))
def test_without_a_race_all_is_asked_for_once(seed: int, worlds: int, actions: int) -> None:
    values = np.random.default_rng(seed).normal(size=(worlds, actions))
    found, asked = tried(values, None)
    assert asked == values.size
    assert (found.values == values).all()
    assert found.actions == list(range(10, 10 + actions))
    assert not found.dropped
    assert found.weights.sum() == pytest.approx(1)


@given(st.integers(0, 10**6), st.integers(1, 200), st.integers(2, 6), st.floats(0, 4))
def test_what_stays_has_all_worlds_and_what_drops_its_last_mean(
    seed: int, worlds: int, actions: int, race: float
) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(worlds, actions)) + rng.normal(size=actions)
    weights = rng.random(worlds) + 0.1
    found, asked = tried(values, race, 10, weights / weights.sum())
    assert 10 in found.actions
    assert {*found.actions, *found.dropped} == set(range(10, 10 + actions))
    assert not set(found.actions) & set(found.dropped)
    used = len(found.values)
    assert used == worlds or len(found.actions) == 1
    assert (found.values == values[:used, [a - 10 for a in found.actions]]).all()
    assert asked <= values.size
    rounds = [min(FIRST_WORLDS * 2**number, worlds) for number in range(6)]
    for action, mean in found.dropped.items():
        means = [np.average(values[:n, action - 10], weights=weights[:n]) for n in rounds]
        assert np.isclose(means, mean).any()


def test_caution_keeps_an_action_that_is_not_clearly_worse() -> None:
    """Of three, action 11 leads 10 by 1 with an error of 1/2, and 12 leads it by 1/4 in all worlds."""
    leads = np.array([[0, 3, 0.25], [0, -1, 0.25], [0, 1, 0.25], [0, 1, 0.25]])
    values = leads + np.array([[5.0], [-2.0], [0.0], [7.0]])
    found = Tried([10, 11, 12], values, np.full(4, 1 / 4), {})
    error = np.sqrt(8) / 4
    assert found.best(10, 0) == found.best(10, 0.99 / error) == 1
    assert found.best(10, 1.01 / error) == found.best(10, 1e9) == 2
    assert found.best(11, 0) == found.best(None, 1e9) == 1
    assert Tried([10, 11], values[:, :2], found.weights, {}).best(10, 1.01 / error) == 0


def test_a_clear_winner_ends_the_race_after_its_first_round() -> None:
    values = np.zeros((500, 3))
    values[:, 1] = 1
    found, asked = tried(values, 2.0)
    assert found.actions == [11]
    assert asked == 3 * FIRST_WORLDS
    assert found.dropped == {10: 0, 12: 0}


def test_equal_actions_stay() -> None:
    assert tried(np.zeros((100, 4)), 0.0)[0].actions == [10, 11, 12, 13]


@pytest.mark.parametrize("race", [None, 2.0])
def test_without_time_one_round_is_enough(race: float | None) -> None:
    values = np.random.default_rng(1).normal(size=(500, 3))
    with under(Deadline(0)):
        found, asked = tried(values, race)
    assert asked == 3 * FIRST_WORLDS
    assert len(found.values) == FIRST_WORLDS
