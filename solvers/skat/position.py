"""Positions of Skat with open cards, without the game that led to them."""

from dataclasses import dataclass
from typing import Annotated, Self

from skat_env.cards import ALL_CARDS_MASK, card_text, cards_of, mask_text
from skat_env.options import Range, check_fields
from skat_env.skat._state import SkatState
from skat_env.skat.rules import CARD_POINTS, Contract, Phase

Seat = Annotated[int, Range(ge=0, le=2)]
Hand = Annotated[int, Range(ge=0, le=ALL_CARDS_MASK)]


@dataclass(frozen=True, slots=True)
class OpenPosition:
    """A position in cardplay: what the solver needs of a game, and a way to give it endings made by hand.

    Raises:
        ValueError: if no game can lead to it.
    """

    contract: Contract
    soloist: Seat
    hands: tuple[Hand, Hand, Hand]
    """The cards held, one mask a seat."""
    leader: Seat = 0
    """The seat that led the current trick, or is to lead."""
    table: tuple[Annotated[int, Range(ge=0, le=31)], ...] = ()
    """The cards of the current trick, at most two, in the order played."""
    points: int = 0
    """The soloist's card points so far, the skat's included."""
    tricks: int = 0
    """The soloist's tricks so far."""

    def __post_init__(self) -> None:
        check_fields(self, "an open position")
        if len(self.table) > 2:
            raise ValueError(f"on the table are {self.table}, not at most two cards 0..31")
        seen = 0
        for mask in (*self.hands, *(1 << card for card in self.table)):
            if seen & mask:
                raise ValueError(f"{mask_text(seen & mask)} is there twice")
            seen |= mask
        sizes = [hand.bit_count() for hand in self.hands]
        for place in range(len(self.table)):
            sizes[(self.leader + place) % 3] += 1
        if len(set(sizes)) > 1 or sizes[0] > 10:
            raise ValueError(
                f"the hands have {', '.join(str(hand.bit_count()) for hand in self.hands)} cards with "
                f"{len(self.table)} on the table and seat {self.leader} leading the trick: "
                "each must come to the same number, at most 10"
            )
        if sizes[0] == 0:
            raise ValueError("no card is left to play")
        if not 0 <= self.tricks <= 10 - sizes[0]:
            raise ValueError(f"the soloist has {self.tricks} tricks of {10 - sizes[0]} played")
        left = _points(seen)
        if not 0 <= self.points <= 120 - left:
            raise ValueError(
                f"the soloist has {self.points} card points, with {left} still to be won: at most {120 - left}"
            )

    @classmethod
    def of(cls, state: SkatState) -> Self:
        """The position of a game.

        Raises:
            ValueError: if it is not in cardplay.
        """
        if state.contract is None or state.phase != Phase.PLAY:
            raise ValueError(f"a solver needs a game in cardplay, this one is in phase {state.phase.name}")
        return cls(
            state.contract,
            state.soloist,
            state.hands,
            state.leader,
            tuple(card for _, card in state.trick()),
            state.points[0] + _points(state.skat),
            state.tricks[0],
        )

    @property
    def to_act(self) -> int:
        """The seat to act."""
        return (self.leader + len(self.table)) % 3

    def text(self) -> str:
        """The position in messages."""
        hands = "/".join(mask_text(hand) for hand in self.hands)
        table = ".".join(card_text(card) for card in self.table) or "-"
        return f"{self.contract.name.lower()} of seat {self.soloist}: {hands}, table {table} led by {self.leader}"


def _points(mask: int) -> int:
    return sum(CARD_POINTS[card & 7] for card in cards_of(mask))
