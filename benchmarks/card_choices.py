"""Views that beliefs are timed on: all choices of a card in games that an agent plays against itself."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from skat_env.play.lockstep import play_game
from skat_env.protocols import Agent
from skat_env.registry import get_game


def card_choices(agent: Agent, game: str, games: int, seed: int = 0) -> Iterator[list[Any]]:
    """The views of one game after another, each of the seat to act, where it has more than one legal card.

    Args:
        agent: plays all seats.
        game: its name.
        games: how many with such choices; deals that are passed, say, are left out.
        seed: of the first deal; the next one is the next deal's.
    """
    about = get_game(game)
    found = 0
    while found < games:
        rng = np.random.default_rng(seed)
        seed += 1
        state: Any = about.state.random(rng)
        end = state.clone()
        play_game(end, [agent] * len(about.seats), [rng] * len(about.seats))
        views = []
        for action in end.history():
            if state.stage == about.stages[-1] and len(state.legal_actions()) > 1:
                views.append(state.view(state.to_act))
            state.apply(action)
        if views:
            found += 1
            yield views
