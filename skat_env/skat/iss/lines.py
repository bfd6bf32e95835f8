"""The lines of the International Skat Server (ISS): what it says, and what its clients say.

A message is one line of words with blanks between them. The facts are those of public clients (JSkat, go-skat).

    client                              server
    NAME                                password:
    PASSWORD                            Welcome NAME to …, version 14
    create / 3                          create .1 NAME 3 …
    join .1 [TICKET]                    invite NAME .1 TICKET
    table .1 NAME invite A B            table .1 NAME state 3 A B C . …
    table .1 NAME ready                 table .1 NAME start 7 A 240.0 B 240.0 C 240.0
    table .1 NAME play MOVE             table .1 NAME play MOVER MOVE 240.0 239.5 240.0
    table .1 NAME leave                 table .1 NAME end (;GM[Skat]…)
                                        table .1 NAME error _not_your_turn
                                        destroy .1

A move is as in `notation.py`. The server hides what a seat may not see: in the deal, whose places are joined by `|`,
the skat `??.??`, and the discards, `D.??.??`; where they are a move of their own, `D` and `??.??`.
"""

from dataclasses import dataclass
from typing import Annotated, Final, Self

from skat_env.cards import CARD_TEXTS, mask_text, parse_mask
from skat_env.deal import Deal
from skat_env.errors import ParseError
from skat_env.options import MAX_COUNT, Range
from skat_env.skat.iss.moves import HIDDEN_TEXT
from skat_env.skat.rules import NUM_SEATS, PLACE_SIZES

Port = Annotated[int, Range(ge=0, le=65_535)]
"""A port; a server takes a free one for 0."""
Seconds = Annotated[float, Range(gt=0, le=MAX_COUNT)]
"""A time."""
PORT: Final = 7000
VERSION: Final = 14
"""The version of the protocol that the server names in its welcome."""
CLOCK: Final = 240.0
"""The seconds that a seat has for a game."""
SERVER: Final = "w"
"""The mover of what the server does."""
HIDDEN_SKAT: Final = f"{HIDDEN_TEXT}.{HIDDEN_TEXT}"
LONGEST: Final = 65_536
"""The bytes of the longest line."""
MAX_NAME: Final = 24


@dataclass(frozen=True, slots=True)
class TableLine:
    """A line that begins with `table`."""

    table: str
    user: str
    """To whom the server says it, or who says it."""
    action: str
    """`state`, `start`, `go`, `play`, `end`, `error`, `tell`; of a client `invite`, `ready`, `play`, `leave`."""
    words: tuple[str, ...]
    """The rest."""

    @classmethod
    def parse(cls, line: str) -> Self:
        """The message in a line.

        Raises:
            ParseError: if it is none.
        """
        words = line.split()
        if len(words) < 4 or words[0] != "table" or not words[1].startswith("."):
            raise ParseError(f"'{line[:80]}': expected 'table .NUMBER NAME ACTION …'")
        return cls(words[1], words[2], words[3], tuple(words[4:]))

    def text(self) -> str:
        """The line."""
        return " ".join(("table", self.table, self.user, self.action, *self.words))


def parse_name(text: str) -> str:
    """A user's name.

    Raises:
        ParseError: if a user cannot have it.
    """
    if not text.isascii() or not text.isprintable() or " " in text or not 1 <= len(text) <= MAX_NAME:
        raise ParseError(f"the name '{text[:MAX_NAME]}': expected 1 to {MAX_NAME} letters without blanks")
    return text


def deal_line(deal: Deal, seat: int) -> str:
    """A deal as the server tells it to a seat."""
    return "|".join(
        mask_text(mask) if place == seat else ".".join([HIDDEN_TEXT] * mask.bit_count())
        for place, mask in enumerate(deal.places)
    )


def deal_words(deal: Deal) -> str:
    """A whole deal, as records have it."""
    return ".".join(map(mask_text, deal.places))


def own_hand(text: str, seat: int) -> str:
    """The cards of a seat in a deal as the server tells it, joined by dots.

    Raises:
        ParseError: if it shows no ten cards there.
    """
    places = text.split("|")
    hand = parse_mask(places[seat]) if len(places) == len(PLACE_SIZES) else 0
    if hand.bit_count() != PLACE_SIZES[seat]:
        raise ParseError(f"'{text[:100]}' is no deal that seat {seat} sees")
    return mask_text(hand)


def shown_move(mover: int, move: str, seat: int) -> str:
    """A move as the server tells it to a seat: discards are hidden from others than the soloist."""
    cards = move.split(".")
    first = int(cards[0] not in CARD_TEXTS)
    if mover == seat or cards[0] == "SC" or len(cards) - first not in (2, 12):
        return move
    return ".".join((*cards[:first], HIDDEN_SKAT, *cards[first + 2 :]))


def clocks_text(clocks: list[float]) -> tuple[str, ...]:
    """The seconds that are left to each seat, as the server writes them."""
    assert len(clocks) == NUM_SEATS
    return tuple(f"{clock:.1f}" for clock in clocks)
