"""Games for a learner to play: their starts, and a generator for every seat."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def fresh_games(
    begin: Callable[[np.random.Generator], Any], games: int, seats: int, key: Sequence[int]
) -> tuple[list[Any], list[list[np.random.Generator]]]:
    """The states that games start from, and by game and seat the generators of who plays there.

    Args:
        begin: gives a start.
        games: how many.
        seats: of a game.
        key: what the randomness depends on: a seed, and which games of a run they are.
    """
    states, rngs = [], []
    for seed in np.random.SeedSequence(key).spawn(games):
        start, *others = (np.random.default_rng(each) for each in seed.spawn(1 + seats))
        states.append(begin(start))
        rngs.append(others)
    return states, rngs
