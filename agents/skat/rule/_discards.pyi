import numpy as np
from numpy.typing import NDArray

Masks = NDArray[np.uint32]
Tables = tuple[NDArray[np.floating], ...]

def all_discards(hand: int) -> tuple[Masks, Masks, Masks]:
    """The skats that ten cards may find, uint32 [231]; and by skat and discard, both uint32 [231, 66], the ten cards
    that remain and the two that are laid away. Skats are in the order of the 22 unseen cards; discards in that of the
    ten cards, then the skat's.

    Raises:
        ValueError: if the hand has not ten cards.
    """

def best_discards(
    hand: int, win: Tables, schneider: Tables, safety: NDArray[np.floating]
) -> tuple[Masks, NDArray[np.float32], NDArray[np.float32]]:
    """The skats that ten cards may find, uint32 [231], in the order of `all_discards`; the log-odds of winning with the
    best discard of each game, float32 [7, 231], for null games the logarithms of chances; and the log-odds of schneider
    with that discard, float32 [5, 231]. Of equal discards the first counts.

    Args:
        hand: ten cards.
        win: the tables of winning, from `plain` to `skat_points` as in `trump_logits`.
        schneider: those of 90 points.
        safety: float32 [2, 256], as in `null_logits`.

    Raises:
        ValueError: if the hand has not ten cards, or a table has another shape.
    """
