"""Worlds whose skat a good player would not have left there (Edelkamp 2020, sections 3 and 8.1, Figure 3).

The soloist chose the two cards of the skat out of twelve. Of the ways to choose them that a defender thinks possible,
those that win much less often than the best one are bad. Figure 3 goes over the skats of the same twelve cards twice:
first for the best, then for those above the threshold. Here the twelve cards of all worlds are looked at together.
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat.counted.winning_tables import WinningTables
from skat_env.agents.skat.expert.assumptions import SKAT
from skat_env.beliefs.belief import Belief, Rows
from skat_env.cards import mask_of
from skat_env.skat import SkatView
from skat_env.skat.rules import FOREHAND, Announcement

TWELVES = 5_000
"""Sets of twelve cards that are rated at once, with up to 66 skats each."""


@dataclass(frozen=True, slots=True)
class BadSkats:
    """Leaves out worlds by the skat."""

    tables: WinningTables
    """The chances of winning."""
    share: float = 0.2
    """How far below the best skat's chance a skat is bad, as a share of that chance."""

    def applies(self, view: SkatView) -> bool:
        """Whether the player of a view asks itself which skat was chosen: a defender, and not in a hand game."""
        return not view.is_soloist and not view.hand_game

    def good(self, view: SkatView, belief: Belief, rows: Rows) -> NDArray[np.bool_]:
        """The worlds whose skat is not bad, bool [n]; of the worlds of the same twelve cards the best is one.

        Args:
            view: one to which this applies.
            belief: of the view.
            rows: uint32 [n, 4], some of its worlds, or all.
        """
        places = belief.possible()
        skat_cards, hand_cards = (
            np.uint32(mask_of(np.flatnonzero(places[:, place]).tolist())) for place in (SKAT, view.soloist)
        )
        twelves, group = np.unique(rows[:, view.soloist] | rows[:, SKAT], return_inverse=True)
        best = np.zeros(len(twelves))
        for first in range(0, len(twelves), TWELVES):
            some = twelves[first : first + TWELVES, None]
            skats = _pairs(some[:, 0])
            possible = (skats & ~skat_cards | some & ~skats & ~hand_cards) == 0
            chances = self._chances(view, (some & ~skats).ravel(), skats.ravel()).reshape(skats.shape)
            best[first : first + TWELVES] = np.where(possible, chances, 0).max(axis=1)
        own = self._chances(view, rows[:, view.soloist], rows[:, SKAT])
        kept: NDArray[np.bool_] = own >= (best - best * self.share)[group]
        return kept

    def _chances(self, view: SkatView, hands: Rows, skats: Rows) -> NDArray[np.float64]:
        """The chances with the cards that the soloist has left besides those that everybody sees."""
        shown = (
            mask_of(card for seat, card in view.plays() if seat == view.soloist) | view.hands[view.soloist]
        )
        assert view.contract is not None
        ten = np.ascontiguousarray(hands | np.uint32(shown))
        return self.tables.chances(
            int(view.contract),
            ten,
            np.ascontiguousarray(skats),
            view.soloist == FOREHAND,
            view.announcement == Announcement.OUVERT,
        )


def _pairs(sets: Rows) -> Rows:
    """All pairs of cards of sets of equal size, uint32 [n, pairs]."""
    size = int(sets[0]).bit_count()
    bits = np.empty((len(sets), size), np.uint32)
    rest = sets.copy()
    for place in range(size):
        bits[:, place] = rest & (~rest + np.uint32(1))
        rest &= ~bits[:, place]
    first, second = np.array(list(combinations(range(size), 2))).T
    return np.asarray(bits[:, first] | bits[:, second])
