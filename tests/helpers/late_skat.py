"""Positions of Skat with few cards left."""

from skat_env.skat import SkatState
from tests.conftest import random_skat_games


def late_positions(cards_left: int, picked_up: bool, games: int, seed: int) -> list[SkatState]:
    """Positions of random games with so many cards left to play."""
    found = []
    for state in random_skat_games(40 * games, seed):
        state = state.clone()
        while len(state.plays()) > 30 - cards_left:
            state.undo()
        if len(state.plays()) == 30 - cards_left and state.picked_up == picked_up:
            found.append(state)
    assert len(found) >= games
    return found[:games]
