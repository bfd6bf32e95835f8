"""The best discard of every game, for each skat that ten cards may find."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat.rule._discards import all_discards

Masks = NDArray[np.uint32]
Floats = NDArray[np.floating]


@dataclass(frozen=True, slots=True, eq=False)
class BestDiscards:
    """What the seven games promise with their best discards, by skat."""

    skats: Masks
    """[231]: the skats, in the order of the 22 unseen cards."""
    win: Floats
    """[7, 231]: the chances of winning."""
    schneider: Floats
    """[5, 231]: the chances of 90 points with the discard that wins most."""


class Chances(Protocol):
    """Estimates the chances of many hands at once."""

    def wins(self, hands: Masks, skats: Masks | None, forehand: bool) -> Floats:
        """The chances of winning the trump games D H S C grand, [5, n]; `skats` is None for hand games."""

    def schneiders(self, hands: Masks, skats: Masks | None, forehand: bool) -> Floats:
        """The chances of reaching 90 points, [5, n]."""

    def nulls(self, hands: Masks, skats: Masks | None, forehand: bool) -> Floats:
        """The chances of winning null and null ouvert, [2, n]."""

    def best_discards(self, hand: int, forehand: bool) -> BestDiscards:
        """The best discards of ten cards, of equal ones the first of `all_discards`."""


def try_discards(chances: Chances, hand: int, forehand: bool) -> BestDiscards:
    """The best discards of ten cards by the chances of each: what `Chances.best_discards` gives, in arrays of all."""
    skats, hands, laid = all_discards(hand)
    trumps = chances.wins(hands.ravel(), laid.ravel(), forehand).reshape(-1, *hands.shape)
    nulls = chances.nulls(hands.ravel(), laid.ravel(), forehand).reshape(-1, *hands.shape)
    best = trumps.argmax(axis=2)
    won = np.take_along_axis(trumps, best[:, :, None], 2)[:, :, 0]
    rows = np.arange(len(skats))
    schneider = [
        chances.schneiders(hands[rows, column], laid[rows, column], forehand)[contract]
        for contract, column in enumerate(best)
    ]
    return BestDiscards(skats, np.concatenate([won, nulls.max(axis=2)]), np.stack(schneider))
