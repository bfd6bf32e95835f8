"""What only Skat's structs have: the game's part `struct`."""

from typing import TYPE_CHECKING, Final

import msgspec

from skat_env.skat.render import cards_left, sorted_hand
from skat_env.skat.rules import PLACE_SIZES, SEAT_NAMES, SKAT_PLACE

if TYPE_CHECKING:
    from skat_env.skat._state import SkatPosition


class SkatFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a game of Skat has besides its cards and tricks."""

    phase: str
    """What the seat to act decides: bid, answer, pick_up, contract, announce, discard, play; over: nothing."""
    bid: int
    """The last bid; 0: none."""
    next_bid: int
    """The value that the next bid would have; 0: there is none."""
    bids: dict[str, int]
    """The highest value that each seat has bid or held; 0: none."""
    passed: dict[str, bool]
    """Whether each seat has passed in the auction."""
    contract: str | None
    """diamonds, hearts, spades, clubs, grand or null; null: not declared (yet)."""
    picked_up: bool
    """Whether the soloist has taken the skat."""
    hand: bool
    """Whether the soloist plays hand."""
    announcement: str
    """none, schneider, schwarz or ouvert."""
    card_points: tuple[int, int]
    """Of the soloist and of the defenders, in tricks, without the skat."""
    tricks_won: tuple[int, int]
    """Of the soloist and of the defenders."""


class SkatStruct:
    """Skat's own in structs; see `skat_env.structs.position.GameStruct`."""

    facts = SkatFacts
    places = (*SEAT_NAMES, "skat")

    def facts_of(self, position: "SkatPosition") -> SkatFacts:
        """The facts of a State or a View."""
        contract = position.contract
        return SkatFacts(
            phase=position.phase.name.lower(),
            bid=position.bid,
            next_bid=position.next_bid,
            bids=dict(zip(SEAT_NAMES, position.bids, strict=True)),
            passed=dict(zip(SEAT_NAMES, position.passed, strict=True)),
            contract=None if contract is None else contract.name.lower(),
            picked_up=position.picked_up,
            hand=position.hand_game,
            announcement=position.announcement.name.lower(),
            card_points=position.points,
            tricks_won=position.tricks,
        )

    def counts(self, position: "SkatPosition") -> tuple[int, ...]:
        """The number of cards at each place: the skat is empty while the soloist holds twelve cards."""
        hands = [cards_left(position, seat) for seat in range(SKAT_PLACE)]
        return (*hands, sum(PLACE_SIZES) - len(position.plays()) - sum(hands))

    def hand(self, position: "SkatPosition", cards: int) -> list[int]:
        """Cards in the order in which a player holds them, trumps first."""
        return sorted_hand(cards, position.contract)


STRUCT: Final = SkatStruct()
