"""Scores of random games."""

import numpy as np

from skat_env import klaverjas
from skat_env.cards import mask_text


def random_rows(rows: int) -> list[str]:
    rng = np.random.default_rng(1)
    texts = []
    for number in range(rows):
        deal = klaverjas.GAME.random_deal(rng)
        hands = [mask_text(hand).replace(".", " ") for hand in deal.places]
        texts.append(",".join([str(number), "DHSC"[int(rng.integers(4))], str(rng.integers(4)), *hands]))
    return texts
