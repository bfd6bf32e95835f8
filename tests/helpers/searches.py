"""Positions for searches, and their best values."""

from typing import Any

import numpy as np

from skat_env.klaverjas import KlaverjasRules, KlaverjasState
from skat_env.registry import get_game
from skat_env.skat import Declaration, SkatState

SIGNS = {"klaverjas": 0.5, "skat": 1.0}


def position(game: str, plays: int, seed: int) -> Any:
    """A position after so many random plays."""
    rng = np.random.default_rng(seed)
    if game == "skat":
        deal = get_game("skat").random_deal(rng)
        state: Any = SkatState.cardplay(deal, seed % 3, Declaration.parse("CGN"[seed % 3]), bids(seed % 3))
    else:
        legality = "amsterdam" if seed % 2 else "rotterdam"
        state = KlaverjasState.random(rng, KlaverjasRules(legality=legality))  # type: ignore[arg-type]
    for _ in range(plays):
        state.apply(int(rng.choice(state.legal_actions())))
    return state


def bids(soloist: int) -> tuple[int, int, int]:
    """Eighteen by the soloist."""
    return (18 * (soloist == 0), 18 * (soloist == 1), 18 * (soloist == 2))


def signs(game: str, state: Any) -> list[float]:
    return [SIGNS[game] * (-1 if state.side(seat) else 1) for seat in range(len(get_game(game).seats))]
