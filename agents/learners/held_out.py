"""Which games of a dataset are held back from learning."""

import numpy as np
from numpy.typing import NDArray


def held_out(games: int, share: float, seed: int) -> NDArray[np.bool_]:
    """Bool [games]: about a share of them; the same whatever else is drawn from the seed."""
    return np.random.default_rng([seed, games]).random(games) < share
