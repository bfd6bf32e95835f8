"""The best pure strategy of a seat against opponents who see all cards and know the strategy.

It is the maximum over pure strategies of the weighted sum over worlds of the minimum over the opponents' play: the
*best defence model* of Frank and Basin 1998, which αμ search (Cazenave and Ventos 2019) approaches with more moves of
lookahead. Partners see all cards, too, and play for their side.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from skat_env.errors import OptionError
from skat_env.options import Count, check_option, shown
from skat_env.solvers.endings._fronts import Fronts
from skat_env.solvers.endings.ending import Ending

MAX_WORK: Final = 20_000_000
"""The most vectors that a search makes and compares."""
ROUNDING: Final = 1e-9
"""Of weighted sums."""
GROWTH: Final = 1.15
"""The least factor by which a slack that was too small grows."""


@dataclass(frozen=True, slots=True)
class PureValue:
    """The value of a seat's best pure strategy against opponents who see all cards."""

    value: float
    """For the side of the seat."""
    cards: Mapping[int, float]
    """The same after each legal card, if the seat is to act; else empty. Cards that are not best have what they are
    worth at most, unless every card was asked for."""
    open_value: float
    """The mean of the values with open cards, which is never less."""

    @property
    def best(self) -> int | None:
        """The best card, the first of equals; None if there are no values by card."""
        return next(
            (card for card, value in sorted(self.cards.items()) if value >= self.value - ROUNDING), None
        )


def best_pure(ending: Ending, seat: int, every: bool = False, work: int = MAX_WORK) -> PureValue:
    """The best pure strategy of a seat against opponents who see all cards.

    Args:
        ending: the ending; the seat must not be able to tell its worlds apart.
        seat: the seat.
        every: whether the exact value of every card is asked for; that takes longer.
        work: the most vectors to make and compare in one search; most endings need a thousandth.

    Raises:
        ValueError: if there is no such seat, or it can tell worlds apart; if the ending is too large.
    """
    ending.side(seat)
    work = check_option("a best pure strategy", "work", Count, work)
    if ending.classes[seat].any():
        raise OptionError(
            f"an ending of {len(ending.states)} worlds that seat={shown(seat)} tells apart: expected those of its view"
        )
    tree = ending.tree()
    nothing = np.zeros((0, 32))
    while tree.look(0) is not None:
        if not tree.grow(nothing):
            raise ending.too_large()
    partners = sum(
        1 << other
        for other in range(len(ending.game.seats))
        if other != seat and ending.side(other) == ending.side(seat)
    )
    fronts = Fronts(tree, seat, partners, ending.side(seat), work)
    to_act = ending.states[0].to_act == seat
    starts = {card: _Start(ending, fronts, node) for card, node in tree.children(0).items()} if to_act else {}
    searched = starts or {-1: _Start(ending, fronts, 0)}
    while True:
        # What may be best is searched first.
        left = [
            start for start in searched.values() if every or start.most >= max(_values(searched)) - ROUNDING
        ]
        left = [start for start in left if not start.exact]
        if not left:
            break
        max(left, key=lambda start: start.most).search()
    value = max(_values(searched))
    cards = {card: ending.scaled(start.most, seat) for card, start in starts.items()}
    return PureValue(ending.scaled(value, seat), cards, ending.scaled(fronts.open_value(0), seat))


def _values(searched: Mapping[int, "_Start"]) -> list[float]:
    """Minus infinity, then what each of the cards solved so far is worth."""
    return [-np.inf, *(start.most for start in searched.values() if start.exact)]


class _Start:
    """The search of the strategies from a node on."""

    def __init__(self, ending: Ending, fronts: Fronts, node: int) -> None:
        self._ending, self._fronts, self._node = ending, fronts, node
        self._open = fronts.open_value(node)
        self._slack = 0.0
        self.most = self._open
        """What the best strategy gets at most."""
        self.exact = False
        """Whether it gets that."""

    def search(self) -> None:
        """Searches with the next slack."""
        grown = max(self._open - self.most, self._slack * GROWTH)
        lost = self._fronts.best(self._node, grown)
        if lost is None:
            raise OptionError(
                f"an ending of {self._ending.tricks} tricks and {len(self._ending.states):,} worlds takes more than "
                f"work={self._fronts.limit:,} vectors: expected fewer tricks or worlds, or a higher limit"
            )
        self._slack = grown
        if lost < np.inf:
            self.most, self.exact = self._open - lost, True
        else:
            self.most = self._open - grown - self._fronts.short
