"""Features of many possible declarations at once, for networks that value the start of the cardplay."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skat_env._encoder import Encoder

def write_declarations(
    encoder: Encoder,
    seat: int,
    levels: Sequence[int],
    hands: NDArray[np.uint32],
    skats: NDArray[np.uint32],
    contract: int,
    announcement: int,
    out: NDArray[np.float32],
) -> None:
    """Writes the soloist's features at the start of the cardplay, one row for each hand.

    Args:
        encoder: must read the soloist's cardplay in Skat.
        seat: the soloist's seat.
        levels: the level of each seat's highest bid, 0..63; the soloist's is that of the game.
        hands: uint32 [n], ten cards each.
        skats: uint32 [n], the two cards discarded; 0: a hand game.
        contract: the contract of all rows.
        announcement: the announcement of all rows.
        out: float32 [n, encoder.width].

    Raises:
        ValueError: if the arrays do not fit each other or the encoder.
    """
