"""What a search chooses."""

from typing import Any

import numpy as np

from tests.helpers.endings import klaverjas_choice, skat_choice


def choice(game: str, rng: np.random.Generator, cards_a_hand: int) -> Any:
    """An ending in which the seat to act has a choice."""
    if game == "skat":
        return skat_choice(rng, ("C", "G", "N")[int(rng.integers(3))], 3 * cards_a_hand)
    return klaverjas_choice(rng, 4 * cards_a_hand)
