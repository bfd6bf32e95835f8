"""Rows of many games that a soloist might declare, for networks that value the start of the cardplay."""

import numpy as np
from numpy.typing import NDArray

from skat_env._encoder import Encoder

def write_declarations(
    encoder: Encoder,
    seat: int,
    level: int,
    hands: NDArray[np.uint32],
    skats: NDArray[np.uint32],
    contract: int,
    announcement: int,
    out: NDArray[np.float32],
) -> None:
    """Writes what the soloist knows when he has declared a game with each of some hands: a row each.

    Nobody else has bid.

    Args:
        encoder: reads the soloist's cardplay in Skat.
        seat: the soloist's.
        level: of his bid, 1..63.
        hands: uint32 [n], ten cards each.
        skats: uint32 [n], the two cards laid away; 0: a hand game.
        contract: of the game.
        announcement: of the game.
        out: float32 [n, encoder.width].

    Raises:
        ValueError: if the arrays do not fit each other or the encoder.
    """
