"""Winning probabilities of many hands at once, in C without Python's lock; any number of threads may ask."""

import numpy as np
from numpy.typing import NDArray

class WinningLookup:
    """The entries of all tables and the byte tables of the features.

    Args:
        keys: uint32 [n], different, below 2^32 - 1: the table of each entry, and its address there.
        chances: float64 [n, outcomes].
        standing: float64 [2, 256], the log-odds of a plain suit by its byte, in suit games and in grand.
        trumps: float64 [256], the log-odds of the trump suit by its byte.
        gaps: int64 [256], the gap of a suit in null by its byte.

    Raises:
        ValueError: if the arrays do not fit each other.
    """

    def __init__(
        self,
        keys: NDArray[np.uint32],
        chances: NDArray[np.float64],
        standing: NDArray[np.float64],
        trumps: NDArray[np.float64],
        gaps: NDArray[np.int64],
    ) -> None: ...
    def look_up(
        self,
        contract: int,
        hands: NDArray[np.uint32],
        skats: NDArray[np.uint32] | None,
        forehand: bool,
        bid: int,
        sizes: NDArray[np.int64],
        tables: NDArray[np.uint32],
        rests: NDArray[np.uint32],
        outcome: int,
        practical: bool,
        out: NDArray[np.float64],
    ) -> None:
        """Writes the chance of each hand, of the first table that has an entry for it.

        Args:
            contract: one of `Contract`.
            hands: uint32 [n], ten cards each.
            skats: uint32 [n], the two discards; None: hand games.
            forehand: whether the soloist is in forehand.
            bid: the class of the others' bids; not used if `sizes` lacks it.
            sizes: int64 [features], the number of values of each feature of the contract's kind.
            tables: uint32 [depths], the bits that a table adds to the addresses of its keys; the deepest first.
            rests: uint32 [depths], by what a full address is divided to be one of the table's.
            outcome: the column of the chances.
            practical: whether discarded trumps count as lost where two plain cards could be discarded.
            out: float64 [n].

        Raises:
            ValueError: if the arrays do not fit each other.
        """
