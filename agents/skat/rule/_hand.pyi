"""Log-odds of many hands at once, summed from tables of `hand.py` in single precision."""

import numpy as np
from numpy.typing import NDArray

def trump_logits(
    hands: NDArray[np.uint32],
    skats: NDArray[np.uint32] | None,
    plain: NDArray[np.float32],
    trump: NDArray[np.float32],
    jacks: NDArray[np.float32],
    length: NDArray[np.float32],
    constant: NDArray[np.float32],
    skat_points: NDArray[np.float32],
    out: NDArray[np.float32],
) -> None:
    """Writes the log-odds of an event in the games D H S C grand. Pairs are for suit games and for grand.

    Args:
        hands: uint32 [n], ten cards each.
        skats: uint32 [n], the two cards in the skat; None: hand games.
        plain: float32 [2, 256], by byte of a plain suit.
        trump: float32 [256], by byte of the trump suit.
        jacks: float32 [2, 16], by the jacks held.
        length: float32 [12], by the number of trumps.
        constant: float32 [2], added to all.
        skat_points: float32 [2], for each card point in the skat.
        out: float32 [5, n].

    Raises:
        ValueError: if the arrays do not fit each other.
    """

def null_logits(hands: NDArray[np.uint32], safety: NDArray[np.float32], out: NDArray[np.float32]) -> None:
    """Writes the logarithms of the chances to win null and null ouvert.

    Args:
        hands: uint32 [n], ten cards each.
        safety: float32 [2, 256], the logarithm of a suit's safety by its byte, in null and in null ouvert.
        out: float32 [2, n].

    Raises:
        ValueError: if the arrays do not fit each other.
    """
