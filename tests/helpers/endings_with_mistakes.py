"""Positions before the last tricks in which a card is a mistake."""

from typing import Any

import numpy as np

from skat_env.play.starts import PlayedTo
from skat_env.registry import get_game
from tests.helpers.worth import declarer_worth


def side_value(state: Any, declarer: int) -> float:
    """What the open cards are worth to the declarer's side: minimax, in the match unit."""
    if state.is_over:
        return declarer_worth(state)
    sign = 1 if state.side(state.to_act) == 0 else -1
    values = []
    for action in state.legal_actions():
        state.apply(action)
        values.append(sign * side_value(state, declarer))
        state.undo()
    return sign * max(values)


def late_positions(game: str, left: int, count: int) -> list[Any]:
    """Positions before the last tricks in which some card is a mistake."""
    rng, found = np.random.default_rng(2), []
    start = PlayedTo(game, "cardplay", "random")
    while len(found) < count:
        state: Any = start(rng)
        cards = get_game(game).place_sizes[0] * len(state.hands)
        while not state.is_over and len(state.plays()) < cards - left * len(state.hands):
            state.apply(int(rng.choice(state.legal_actions())))
        if state.is_over:
            continue
        worst = []
        for action in state.legal_actions():
            state.apply(action)
            worst.append(side_value(state, 0))
            state.undo()
        if len(set(worst)) > 1:
            found.append(state)
    return found
