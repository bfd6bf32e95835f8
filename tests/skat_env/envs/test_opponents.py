"""Opponents that are drawn anew for each game."""

from typing import Any

import numpy as np
import pytest

from skat_env.envs.opponents import Pool
from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.errors import OptionError, UnknownName
from skat_env.registry import make_agent


def test_a_pool_is_drawn_by_weight() -> None:
    pool = Pool([make_agent("rule", "skat"), make_agent("random", "skat")], [3.0, 1.0])
    rng = np.random.default_rng(0)
    drawn = [pool.draw(rng, "skat").name for _ in range(400)]
    assert 260 < drawn.count("rule") < 340


def test_agents_of_a_pool_may_be_named() -> None:
    named: list[Any] = ["rule", "pimc(worlds=1)", make_agent("random", "skat")]
    pool = Pool(named, [1.0, 1.0, 1.0])
    environment = SeatVectorEnv("skat", 8, opponents=pool)
    rng = np.random.default_rng(0)
    drawn = [pool.draw(rng, "skat") for _ in range(40)]
    assert {agent.name for agent in drawn} == {
        "rule",
        make_agent("pimc(worlds=1)", "skat").name,
        "random",
    }
    assert len(set(map(id, drawn))) == 3  # each is made once
    assert pool.agents is named
    assert named[:2] == ["rule", "pimc(worlds=1)"]
    observations, _ = environment.reset(seed=0)
    environment.step(observations["action_mask"].argmax(axis=1))
    with pytest.raises(UnknownName, match="did you mean 'rule'"):
        SeatVectorEnv("skat", 8, opponents=Pool([*named, "rules"], [1.0] * 4))


def test_a_pool_stays_as_it_is_and_serves_both_games() -> None:
    pool: Any = Pool(("rule", "random"), (0.5, 0.5))  # type: ignore[arg-type]
    for game in ("skat", "klaverjas", "skat"):
        environment = SeatVectorEnv(game, 8, opponents=pool)
        observations, _ = environment.reset(seed=0)
        environment.step(observations["action_mask"].argmax(axis=1))
        assert (pool.agents, pool.weights) == (("rule", "random"), (0.5, 0.5))


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [0.0, 0.0], [1.0, float("nan")], []])
def test_weights_are_checked_when_an_environment_is_made(weights: list[float]) -> None:
    pool = Pool(["rule", "random"], weights)
    with pytest.raises(OptionError, match="weights="):
        SeatVectorEnv("skat", 8, opponents=pool)


def test_a_pool_may_be_filled_later() -> None:
    pool = Pool([], [])
    environment = SeatVectorEnv("klaverjas", 8, opponents=pool)
    with pytest.raises(OptionError, match="expected one from 0 for each of its agents"):
        environment.reset(seed=0)
    pool.agents.append("rule")
    pool.weights.append(1.0)
    environment.reset(seed=0)
