"""The choices of a card in games that an agent plays against itself."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from skat_env.play.lockstep import play_game
from skat_env.protocols import Agent
from skat_env.registry import get_game


def card_choices(agent: Agent, game: str, games: int, seed: int = 0) -> Iterator[list[Any]]:
    """Yields for each game the views of the seats to act with more than one legal card.

    Args:
        agent: the agent that plays all seats.
        game: the game's name.
        games: the number of games with such choices; deals without any, such as passed ones, do not count.
        seed: the seed of the first deal, one more for each next deal.
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
