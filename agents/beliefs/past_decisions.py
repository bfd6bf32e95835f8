"""What the others of a game have decided, as a policy is asked about it afterwards (Rebstock 2019, chapter 5)."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from skat_env.beliefs.belief import Rows
from skat_env.protocols import View

Masks = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class PastDecision:
    """One decision, and the outputs of a network that would have looked the same."""

    step: int
    """Actions of the game before it."""
    seat: int
    """Who decided."""
    network: str
    """The network that a policy asks there."""
    did: int | None
    """Of cards the one played, as a bit; else the outputs, a bit each; None: the cards that the view does not see."""
    of_cards: bool
    """Whether outputs stand for cards of the hand, so that the legal ones are counted; else all outputs are."""


@dataclass(frozen=True, slots=True)
class Deals:
    """Whole deals of the worlds of a view."""

    dealt: Masks
    """uint32 [n, places], as `Replays` take them."""
    hidden: Masks
    """uint32 [n]: the cards that stand in the view's history as 255."""


class PastDecisions(Protocol):
    """The part `past_decisions` of a game: what its own rules say of past decisions."""

    model: str
    """The checkpoint that models the players by default."""
    networks: Collection[str]
    """The names of all that its decisions ask."""

    def decisions(self, view: View, full: bool) -> list[PastDecision]:
        """What the other seats have decided, in the order of the steps.

        Args:
            view: of the seat that looks back.
            full: whether worlds are whole states. If not, decisions are left out whose features differ between the
                states of a world.
        """

    def states(self, view: View) -> int:
        """How many states each world of a view has."""

    def deals(self, view: View, rows: Rows, numbers: NDArray[np.int64]) -> Deals:
        """The states of worlds that have the given numbers, each 0 .. `states` - 1."""

    def keys(self, view: View, seat: int, deals: Deals) -> NDArray[np.uint64]:
        """uint64 [n]: equal where a seat has known the same in all its decisions."""

    def needs(self, network: str, outputs: int) -> NDArray[np.uint64]:
        """uint64 [outputs]: the bits that each output of a network takes."""


def played_by(view: View, places: int) -> Masks:
    """The cards that each seat has played to tricks, uint32 [places]."""
    played = [0] * places
    for seat, card in view.plays():
        played[seat] |= 1 << card
    return np.array(played, np.uint32)


def single_bits(outputs: int) -> NDArray[np.uint64]:
    """Outputs that are a bit each, uint64 [outputs]."""
    return np.uint64(1) << np.arange(outputs, dtype=np.uint64)
