"""Positions near the end of random games of any game."""

from typing import Any

from skat_env.registry import get_game
from tests.conftest import random_games


def late_positions(name: str, tricks: int, count: int, seed: int) -> list[Any]:
    """Positions between tricks with so many tricks left, in random games; a card at least has been played."""
    game = get_game(name)
    found: list[Any] = []
    for state in random_games(game, 20 * count, seed):
        while state.history() and (state.is_over or state.trick() or state.places[0].bit_count() < tricks):
            state.undo()
        if state.plays() and state.places[0].bit_count() == tricks:
            found.append(state)
    assert len(found) >= count
    return found[:count]
