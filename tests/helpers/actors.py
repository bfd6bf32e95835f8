"""Starts of games for actors."""

import numpy as np

from skat_env.klaverjas import KlaverjasState
from skat_env.registry import get_game
from skat_env.skat import Declaration, SkatState


def some_starts(game: str) -> list:
    rng = np.random.default_rng(3)
    if game == "klaverjas":
        return [KlaverjasState.random(rng) for _ in range(5)]
    deals = [get_game(game).random_deal(rng) for _ in range(8)]
    games = ["D", "C", "G", "N", "NO", "SH", "GH", "NH"]
    return [
        SkatState.cardplay(deal, i % 3, Declaration.parse(text), (18, 18, 18))
        for i, (deal, text) in enumerate(zip(deals, games, strict=True))
    ]
