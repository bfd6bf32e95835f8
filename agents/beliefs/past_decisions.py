"""Past decisions of the other players, in the form in which a policy network rates them (Rebstock 2019, chapter 5)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from skat_env.beliefs.belief import Rows
from skat_env.protocols import View

Masks = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class PastDecision:
    """One decision of another player, and the network outputs that are consistent with what was seen of it."""

    step: int
    """The number of actions before it."""
    seat: int
    """The seat that decided."""
    network: str
    """The policy network for this kind of decision."""
    did: int | None
    """The outputs that agree with what was seen, as bits: for a card that was played, that card; for other decisions,
    all outputs that the player may have meant. None: the decision was about cards that the view does not see."""
    of_cards: bool
    """Whether outputs stand for cards in the hand, so that only legal ones share the probability; else all do."""


@dataclass(frozen=True, slots=True)
class Deals:
    """The complete deals of some worlds of a view."""

    dealt: Masks
    """uint32 [n, places]: the cards as dealt, as `Replays` takes them."""
    hidden: Masks
    """uint32 [n]: the cards that the view's history hides (255 there)."""


class PastDecisions(Protocol):
    """The part `past_decisions` of a game: what its rules say about past decisions."""

    model: str
    """The default model: a checkpoint of policy networks, or several joined by `+`."""
    networks: Mapping[str, int]
    """The outputs that are read of each network that its decisions may need, by its name."""

    def decisions(self, view: View, full: bool) -> list[PastDecision]:
        """The decisions of the other seats, in order.

        Args:
            view: the view of the seat that draws the inference.
            full: whether a world is a whole state. If not, decisions whose features differ between the states of a
                world are left out.
        """

    def states(self, view: View) -> int:
        """The number of states of each world of a view."""

    def deals(self, view: View, rows: Rows, numbers: NDArray[np.int64]) -> Deals:
        """The deals of one state of each world, chosen by its number in 0 .. `states` - 1."""

    def keys(self, view: View, seat: int, deals: Deals) -> NDArray[np.uint64]:
        """uint64 [n]: equal keys mean that the seat knew the same in all its decisions."""

    def needs(self, network: str, outputs: int) -> NDArray[np.uint64]:
        """uint64 [outputs]: what each output stands for, as bits: its cards, or a bit of its own."""


def played_by(view: View, places: int) -> Masks:
    """The cards that each seat has played, uint32 [places]."""
    played = [0] * places
    for seat, card in view.plays():
        played[seat] |= 1 << card
    return np.array(played, np.uint32)


def single_bits(outputs: int) -> NDArray[np.uint64]:
    """One bit for each output, uint64 [outputs]."""
    return np.uint64(1) << np.arange(outputs, dtype=np.uint64)
