"""What a picture of a table shows, in the same form for every game: a game's part `picture` makes it of a position."""

from dataclasses import dataclass
from typing import Any, Protocol

from skat_env.registry import get_part


@dataclass(frozen=True, slots=True)
class Hand:
    """A seat and its cards."""

    name: str
    cards: tuple[int | None, ...]
    """The cards in the order in which they are held; None: a card that is not seen."""
    marks: tuple[str, ...] = ()
    """The label of the seat: `soloist`, `bid 20`, `passed`."""
    played: int = 0
    """Those of the cards that were played, as a mask: after the end of the game they are shown pale."""


@dataclass(frozen=True, slots=True)
class Table:
    """All that a picture shows."""

    hands: tuple[Hand, ...]
    bottom: int
    """The seat at the bottom of the picture."""
    to_act: int
    """The seat whose turn it is; -1: nobody's."""
    title: str
    """The game that is played, or what is decided."""
    suit: int | None
    """The trump suit, whose symbol stands before the title; None: none."""
    lines: tuple[str, ...]
    """Points and tricks of each side."""
    trick: tuple[tuple[int, int], ...]
    """The cards on the table as (seat, card), in the order played."""
    last_trick: tuple[tuple[int, int], ...]
    """The trick before, in the same form."""
    playable: int
    """The cards that the seat to act may play, as a mask; 0 if it is not known or makes no difference."""
    pile: tuple[int | None, ...] = ()
    """Cards that lie apart, as the skat does."""
    pile_name: str = ""
    result: tuple[str, ...] = ()
    """The result of a finished game, in words."""


class Picture(Protocol):
    """A game's part `picture`."""

    def __call__(self, position: Any, bottom: int | None = None) -> Table:
        """The table of a State, with all its cards, or of a View, with those that its seat sees.

        `bottom` is the seat at the bottom of the picture; None: a View's own seat, else seat 0.
        """


def table_of(game: str, position: Any, bottom: int | None = None) -> Table:
    """The table of a position of a game; arguments as in `Picture`.

    Raises:
        ValueError: if the game gives no pictures.
    """
    picture: Picture = get_part(game, "picture")
    return picture(position, bottom)


def tricks_on_table(plays: list[tuple[int, int]], trick: list[tuple[int, int]], seats: int) -> Any:
    """The trick on the table and the one before, from all plays of `seats` players."""
    whole = len(plays) - len(trick)
    return tuple(trick), tuple(plays[max(0, whole - seats) : whole])


def tricks_text(count: int) -> str:
    """`1 trick`, `2 tricks`."""
    return f"{count} trick{'' if count == 1 else 's'}"


def playable_cards(position: Any, hand: int) -> int:
    """The legal cards of the seat to act if some of its cards are not legal; else 0."""
    legal = position.legal() & 0xFFFFFFFF
    return legal if legal != hand else 0
