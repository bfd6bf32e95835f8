"""Games for a learner to play: their starts, and a random generator for every seat."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def fresh_games(
    begin: Callable[[np.random.Generator], Any], games: range, seats: int, key: Sequence[int]
) -> tuple[list[Any], list[list[np.random.Generator]]]:
    """The states that games start from, and the generators of the players by game and seat.

    Args:
        begin: makes a start.
        games: the numbers of the games.
        seats: the number of seats.
        key: determines the randomness, with a game's number: a seed, and which games of the run these are among.
    """
    states, rngs = [], []
    for number in games:
        seed = np.random.SeedSequence(key, spawn_key=(number,))
        start, *others = (np.random.default_rng(each) for each in seed.spawn(1 + seats))
        states.append(begin(start))
        rngs.append(others)
    return states, rngs
