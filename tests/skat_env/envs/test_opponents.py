"""Opponents that are drawn anew for each game."""

from typing import Any

import numpy as np
import pytest

from skat_env.envs.opponents import Pool
from skat_env.envs.seat_vector import SeatVectorEnv
from skat_env.errors import UnknownName
from skat_env.registry import make_agent


def test_a_pool_is_drawn_by_weight() -> None:
    pool = Pool([make_agent("rule", "skat"), make_agent("random", "skat")], [3.0, 1.0])
    rng = np.random.default_rng(0)
    drawn = [pool.draw(rng).name for _ in range(400)]
    assert 260 < drawn.count("rule") < 340


def test_agents_of_a_pool_may_be_named() -> None:
    named: list[Any] = ["rule", "pimc(worlds=1)", make_agent("random", "skat")]
    pool = Pool(named, [1.0, 1.0, 1.0])
    environment = SeatVectorEnv("skat", 8, opponents=pool)
    assert [agent.name for agent in pool.agents] == [
        "rule",
        make_agent("pimc(worlds=1)", "skat").name,
        "random",
    ]
    observations, _ = environment.reset(seed=0)
    environment.step(observations["action_mask"].argmax(axis=1))
    with pytest.raises(UnknownName, match="did you mean 'rule'"):
        SeatVectorEnv("skat", 8, opponents=Pool([*named, "rules"], [1.0] * 4))
