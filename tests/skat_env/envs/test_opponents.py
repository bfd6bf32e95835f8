"""Opponents that are drawn anew for each game."""

import numpy as np

from skat_env.envs.opponents import Pool
from skat_env.registry import make_agent


def test_a_pool_is_drawn_by_weight() -> None:
    pool = Pool([make_agent("rule", "skat"), make_agent("random", "skat")], [3.0, 1.0])
    rng = np.random.default_rng(0)
    drawn = [pool.draw(rng).name for _ in range(400)]
    assert 260 < drawn.count("rule") < 340
