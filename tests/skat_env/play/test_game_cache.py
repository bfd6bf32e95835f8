"""What a seat keeps for its next decision: it is there in the same game, and gone with the seat's generator."""

import gc
import pickle

import numpy as np

from skat_env.play.game_cache import GameCache
from skat_env.skat import SkatState
from tests.conftest import random_skat_games


def position(seed: int, moves: int) -> SkatState:
    """A random game so many moves after its deal."""
    [state] = random_skat_games(1, seed)
    while len(state.history()) > moves:
        state.undo()
    return state


def cache(max_size: int = 10) -> GameCache[list[int]]:
    return GameCache(max_size, len)


def test_it_is_there_later_in_the_same_game() -> None:
    kept, rng = cache(), np.random.default_rng(1)
    kept.keep(position(1, 3).view(0), rng, [1])
    kept.keep(position(1, 3).view(1), rng, [2])
    assert kept.take(position(1, 5).view(0), rng) == [1]
    assert kept.take(position(1, 5).view(0), rng) is None
    assert kept.take(position(1, 3).view(1), rng) == [2]


def test_it_is_not_there_for_others() -> None:
    kept, rng, same = cache(), np.random.default_rng(1), np.random.default_rng(1)
    kept.keep(position(1, 3).view(0), rng, [1])
    assert kept.take(position(1, 3).view(0), same) is None
    assert kept.take(position(2, 3).view(0), rng) is None  # another deal
    kept.keep(position(1, 3).view(0), rng, [1])
    assert kept.take(position(1, 2).view(0), rng) is None  # earlier in the game


def test_it_goes_with_the_generator() -> None:
    kept, rng, other = cache(), np.random.default_rng(1), np.random.default_rng(2)
    for number in range(100):
        kept.keep(position(1, 3).view(0), np.random.default_rng(number), [number])
        assert not kept._kept
        assert not kept._total
    kept.keep(position(1, 3).view(0), rng, [1, 2])
    kept.keep(position(1, 3).view(0), other, [3, 4, 5])
    del rng
    assert kept._total == 3
    kept.keep(position(1, 4).view(0), other, [6])  # in place of what was there
    assert kept._total == 1
    growing = [6]
    kept.keep(position(1, 4).view(0), other, growing)
    growing.append(7)
    assert kept.take(position(1, 5).view(0), other) == [6, 7]
    assert kept._total == 0
    lone = np.random.default_rng(3)
    kept.keep(position(1, 3).view(0), lone, [7])
    del kept
    gc.collect()
    del lone  # nobody is left to be told


def test_the_oldest_go_when_there_is_too_much() -> None:
    kept, rngs = cache(5), [np.random.default_rng(number) for number in range(3)]
    view = position(1, 3).view(0)
    for rng in rngs:
        kept.keep(view, rng, [0, 0])
    assert kept.take(view, rngs[0]) is None
    assert kept.take(view, rngs[1]) == [0, 0]
    kept.keep(view, rngs[1], [0] * 99)  # one alone may be too large
    assert kept.take(view, rngs[2]) is None
    assert kept.take(view, rngs[1]) == [0] * 99
    assert not kept._total


def test_copies_begin_empty() -> None:
    kept, rng = cache(), np.random.default_rng(1)
    view = position(1, 3).view(0)
    kept.keep(view, rng, [1])
    assert pickle.loads(pickle.dumps(kept)).take(view, rng) is None
    assert kept.take(view, rng) == [1]
