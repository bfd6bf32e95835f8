"""What a player of Skat knows of the hidden cards, as sets of 32 bits: knowledge vectors (Edelkamp 2020, section 8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from skat_env.agents.skat.expert.assumptions import SKAT, Course, exclusions
from skat_env.agents.skat.expert.bad_skats import BadSkats
from skat_env.beliefs.belief import Belief, Rows
from skat_env.cards import ALL_CARDS_MASK
from skat_env.skat import SkatView
from skat_env.skat.rules import follow_groups

MOST_DRAWN: Final = 20_000
"""The most worlds that are drawn to have enough with good skats."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The cards that a player does not see, and where they are not. Sets are masks of cards."""

    seat: int
    """The player whose knowledge it is: i."""
    unseen: int
    """A_i: the cards that are not played and that it does not see."""
    forbidden: tuple[int, int, int, int]
    """F_i^j: the unseen cards that the seats j and the skat do not have by the rules; at its own place all."""
    assumed: tuple[int, int, int, int]
    """The same with the assumptions."""

    def weights(self) -> NDArray[np.float64]:
        """1 for each unseen card at each place where it may lie, else 0: float64 [32, 4], as `Belief` takes them."""
        masks = np.array(self.assumed, np.uint64)
        bits = np.arange(32, dtype=np.uint64)[:, None]
        allowed: NDArray[np.float64] = np.where(masks[None, :] >> bits & np.uint64(1), 0.0, 1.0)
        return allowed


def knowledge(view: SkatView, assumptions: Sequence[str] = ()) -> Knowledge:
    """What the player of a view in cardplay knows.

    Args:
        view: the view.
        assumptions: the names of the assumptions that it makes, out of `ASSUMPTIONS`.

    Raises:
        UnknownName: if there is no such assumption.
    """
    assert view.contract is not None
    me, soloist = view.seat, view.soloist
    known_skat = view.skat if me == soloist else 0
    unseen = ALL_CARDS_MASK & ~(view.hand | view.played_mask() | known_skat)
    groups = follow_groups(view.contract)
    forbidden = [0, 0, 0, unseen if known_skat else 0]
    forbidden[me] = unseen
    for seat in range(3):
        if seat != me:
            for group, cards in enumerate(groups):
                if view.is_void(seat, group):
                    forbidden[seat] |= cards & unseen
    if me != soloist and view.hands[soloist]:
        opened = view.hands[soloist]
        forbidden[soloist] |= unseen & ~opened
        forbidden[3 - me - soloist] |= opened
        forbidden[SKAT] |= opened
    assumed = list(forbidden)
    if assumptions:
        for exclusion in exclusions(Course.of(view), assumptions):
            assumed[exclusion.place] |= exclusion.cards & unseen
    return Knowledge(me, unseen, _four(forbidden), _four(assumed))


def believe(view: SkatView, assumptions: Sequence[str] = ()) -> Belief:
    """The worlds of a view under assumptions, all equally likely.

    Where no world keeps all of them, the last ones are given up, one after the other.
    """
    kept = list(assumptions)
    while kept:
        known = knowledge(view, kept)
        if known.assumed == known.forbidden:
            break
        try:
            return Belief(view, known.weights())
        except ValueError:
            kept.pop()
    return Belief(view)


def possible_worlds(
    view: SkatView,
    most: int,
    rng: np.random.Generator,
    assumptions: Sequence[str] = (),
    bad_skats: BadSkats | None = None,
) -> tuple[Belief, Rows]:
    """The belief under assumptions, and different worlds of it: all, or some drawn from them.

    Args:
        view: the view.
        most: the maximum number of worlds.
        rng: draws them.
        assumptions: as in `believe`.
        bad_skats: leaves out worlds; given up where it would leave none of those drawn.
    """
    belief = believe(view, assumptions)
    if bad_skats is None or not bad_skats.applies(view):
        return belief, _draw(belief, most, rng)
    drawn = most
    while True:
        rows = _draw(belief, drawn, rng)
        good = rows[bad_skats.good(view, belief, rows)]
        if len(good) >= most or drawn >= min(belief.count, max(most, MOST_DRAWN)):
            break
        # Half as many again as are expected to be enough.
        needed = drawn * most * 3 // (2 * max(len(good), 1))
        drawn = min(max(needed, 2 * drawn), belief.count, MOST_DRAWN)
    kept = good if len(good) else rows
    if len(kept) > most:
        kept = kept[rng.choice(len(kept), most, replace=False)]
    return belief, kept


def _draw(belief: Belief, most: int, rng: np.random.Generator) -> Rows:
    """Different worlds that the assumptions allow."""
    rows = belief.sample_distinct(most, rng)
    return rows if belief.is_uniform else rows[belief.probability(rows) > 0]


def _four(masks: list[int]) -> tuple[int, int, int, int]:
    return masks[0], masks[1], masks[2], masks[3]
