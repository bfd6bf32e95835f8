"""What only Klaverjas' structs have: the game's part `struct`."""

from typing import TYPE_CHECKING, Final

import msgspec

from skat_env.cards import SUIT_NAMES
from skat_env.klaverjas.render import passes, sorted_hand
from skat_env.klaverjas.rules import SEAT_NAMES

if TYPE_CHECKING:
    from skat_env.klaverjas._state import KlaverjasPosition

_CARDS: Final = 8


class KlaverjasFacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a deal of Klaverjas has besides its cards and tricks. Pairs are by team: south and north, west and east."""

    forehand: str
    """The seat that chooses first and leads to the first trick."""
    trump: str | None
    """diamonds, hearts, spades or clubs; null: not chosen yet."""
    passed: dict[str, bool]
    """Whether each seat passed when trumps were chosen."""
    card_points: tuple[int, int]
    """Won so far, the 10 for the last trick included."""
    roem: tuple[int, int]
    """Won so far."""
    tricks_won: tuple[int, int]


class KlaverjasStruct:
    """Klaverjas' own in structs; see `skat_env.structs.position.GameStruct`."""

    facts = KlaverjasFacts
    places = SEAT_NAMES

    def facts_of(self, position: "KlaverjasPosition") -> KlaverjasFacts:
        """The facts of a State or a View."""
        return KlaverjasFacts(
            forehand=SEAT_NAMES[position.forehand],
            trump=None if position.trump is None else SUIT_NAMES[position.trump],
            passed={name: passes(position, seat) for seat, name in enumerate(SEAT_NAMES)},
            card_points=position.points,
            roem=position.roem,
            tricks_won=position.tricks,
        )

    def counts(self, position: "KlaverjasPosition") -> tuple[int, ...]:
        """The number of cards in each hand."""
        played = [seat for seat, _ in position.plays()]
        return tuple(_CARDS - played.count(seat) for seat in range(len(SEAT_NAMES)))

    def hand(self, position: "KlaverjasPosition", cards: int) -> list[int]:
        """Cards in the order in which a player holds them, trumps first."""
        return sorted_hand(cards, position.trump)


STRUCT: Final = KlaverjasStruct()
