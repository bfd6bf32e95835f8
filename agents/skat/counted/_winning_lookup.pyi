"""Winning probabilities of many hands at once, in C without Python's lock; any number of threads may ask."""

import numpy as np
from numpy.typing import NDArray

class WinningLookup:
    """The chances of one variant of a kind of game, and the byte tables of the features.

    The *first* features are odds, trumps, jacks, aces and tens (grand: without trumps; null: odds and gaps), the *rest*
    are those after them but the bid.

    Args:
        wide: float64 [outcomes, first], the chances by the first features alone.
        block: int32 [first], the row of `blocks` that knows more; -1: none.
        blocks: float64 [outcomes, blocks, rest].
        win: the arrays of `EventTables` of the rule player, in their order there: the log-odds of trump games.
        safety: float32 [2, 2, 256], the log safety of a suit: by whether the seat leads, by null and null ouvert, by
            byte.
        null_classes: float32 [23], the least logarithms of the chance of null from class 1 on.
        gaps: int64 [256], the gap of a suit in null by its byte.
        least: where the classes of the log-odds of trump games begin.
        per_odds: the number of classes to a difference of 1.

    Raises:
        ValueError: if the arrays do not fit each other.
    """

    def __init__(
        self,
        wide: NDArray[np.float64],
        block: NDArray[np.int32],
        blocks: NDArray[np.float64],
        win: tuple[NDArray[np.floating], ...],
        safety: NDArray[np.float32],
        null_classes: NDArray[np.float32],
        gaps: NDArray[np.int64],
        least: float,
        per_odds: float,
    ) -> None: ...
    def look_up(
        self,
        contract: int,
        hands: NDArray[np.uint32],
        skats: NDArray[np.uint32] | None,
        forehand: bool,
        ouvert: bool,
        outcome: int,
        practical: bool,
        out: NDArray[np.float64],
    ) -> None:
        """Writes the chance of each hand.

        Args:
            contract: one of `Contract`, of the kind of game whose chances these are.
            hands: uint32 [n], ten cards each.
            skats: uint32 [n], the two discards; None: hand games.
            forehand: whether the soloist is in forehand.
            ouvert: whether a null game is ouvert.
            outcome: the row of the chances.
            practical: whether discarded trumps count as lost where two plain cards could be discarded.
            out: float64 [n].

        Raises:
            ValueError: if the arrays do not fit each other.
        """
