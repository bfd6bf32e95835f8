"""Where everything in the picture of a table lies: shapes in pixels, which `svg` and `pixels` draw alike."""

from dataclasses import dataclass
from typing import Annotated, Final

from skat_env.options import Range, checked_options
from skat_env.pictures.table import Hand, Table

WIDTH: Final = 720
HEIGHT: Final = 540
Side = Annotated[int, Range(ge=160, le=8192)]

FELT, BAR, PLATE, ACTING, BANNER = "#1e6b4e", "#12382b", "#175440", "#ffd54a", "#fffbe9"
LIGHT, SOFT, DARK = "#ffffff", "#cfe5da", "#1b1b1b"

PALE: Final = 0.45
"""How much of the felt covers a card that was played."""
RATIO: Final = 1.4
"""The height of a card over its width."""
LETTER: Final = 0.54
"""The mean width of a letter over the size of its font: an upper bound for the words of tables."""


def fitting(text: str, room: float, size: float) -> float:
    """The size of a font in which a line of text fits into its room; at most `size`."""
    return min(size, room / (LETTER * max(1, len(text))))


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    radius: float
    fill: str


@dataclass(frozen=True, slots=True)
class Card:
    """A card by its top left corner; None: its back."""

    x: float
    y: float
    width: float
    card: int | None
    pale: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text by its base line; `anchor` is 0 at its start, 0.5 in its middle, 1 at its end."""

    x: float
    y: float
    size: float
    text: str
    colour: str
    anchor: float = 0.0
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """The symbol of a suit around a point, on a white field."""

    x: float
    y: float
    size: float
    suit: int


Item = Box | Card | Words | Mark


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture: its shapes from back to front, and its size in pixels."""

    items: list[Item]
    width: int
    height: int


@checked_options("a picture")
def layout(table: Table, width: Side = WIDTH, height: Side = HEIGHT) -> Drawing:
    """The picture of a table.

    Args:
        table: what it shows.
        width: its width in pixels.
        height: its height in pixels.
    """
    return Drawing(_Layout(table, width, height).items(), width, height)


class _Layout:
    """One picture in the making; lengths are multiples of a card's width."""

    def __init__(self, table: Table, width: int, height: int) -> None:
        self.table = table
        self.width = width
        self.height = height
        self.card = min(width / 5.3, height / (7.1 if len(table.hands) == 4 else 6.6))
        self.pad = 0.1 * self.card
        self.font = 0.19 * self.card
        self.bar = 0.86 * self.card
        self.plate = 1.65 * self.font
        self.drawn: list[Item] = [Box(0, 0, width, height, 0, FELT)]

    def items(self) -> list[Item]:
        table, count = self.table, len(self.table.hands)
        across = [(table.bottom + turn) % count for turn in range(count)]
        tall = RATIO * self.card
        bottom = self.height - self.pad - tall
        top = self.bar + self.pad
        self._header()
        sides = top
        if count == 4:
            under = self._row(across[2], top) + 0.4 * self.pad
            self._plate(across[2], self.width / 2, under, 0.5)
            top = under + self.plate + self.pad
            if self._beside(across[2]) < 2.5 * self.card:
                sides = under
        elif table.pile:
            top = self._pile(top + self.plate)
        sides_end = self._sides_end(across[0], bottom)
        self._column(across[1], self.pad, sides, 0, sides_end)
        self._column(across[-1], self.width - self.pad - self.card, sides, 1, sides_end)
        plate = bottom - self.plate - 0.25 * self.card
        centre = (top + plate) / 2
        self._trick(across, centre)
        self._row(across[0], bottom)
        self._plate(across[0], self.width / 2, plate, 0.5)
        if table.result:
            self._banner(centre)
        return self.drawn

    def _header(self) -> None:
        table, font = self.table, self.font
        self.drawn.append(Box(0, 0, self.width, self.bar, 0, BAR))
        small = 0.46 * self.card
        cards = len(table.last_trick)
        size = 0.72 * font
        column = max(small + 2, LETTER * size * max((len(hand.name) for hand in table.hands), default=0) + 4)
        taken = cards * column + self.pad if cards else 0.0
        left = self.pad
        if table.suit is not None:
            self.drawn.append(Mark(left + 0.6 * font, 0.95 * font, 1.45 * font, table.suit))
            left += 1.6 * font
        room = self.width - taken - self.pad
        self._text(left, 1.35 * font, 1.15 * font, table.title, LIGHT, room - left, bold=True)
        for number, line in enumerate(table.lines):
            self._text(self.pad, (2.7 + 1.25 * number) * font, 0.95 * font, line, SOFT, room - self.pad)
        x = self.width - taken
        for seat, card in table.last_trick:
            self.drawn.append(
                Card(x + (column - small) / 2, (self.bar - font - RATIO * small) / 2, small, card)
            )
            name = table.hands[seat].name
            self.drawn.append(Words(x + column / 2, self.bar - 0.4 * font, size, name, SOFT, 0.5))
            x += column

    def _text(
        self, x: float, y: float, size: float, text: str, colour: str, room: float, bold: bool = False
    ) -> None:
        """A line that is made smaller if its room is narrow."""
        self.drawn.append(Words(x, y, fitting(text, room, size), text, colour, 0.0, bold))

    def _step(self, count: int, room: float, most: float) -> float:
        """The distance of neighbouring cards, at most `most`."""
        return min(most, room / max(1, count - 1))

    def _row_step(self, seat: int) -> float:
        room = self.width - 2 * self.pad - self.card
        return self._step(len(self.table.hands[seat].cards), room, 0.46 * self.card)

    def _row_width(self, seat: int) -> float:
        return (len(self.table.hands[seat].cards) - 1) * self._row_step(seat) + self.card

    def _row(self, seat: int, y: float) -> float:
        """A hand from left to right; its lower edge."""
        hand = self.table.hands[seat]
        x = (self.width - self._row_width(seat)) / 2
        for number, card in enumerate(hand.cards):
            up = 0.14 * self.card if self._is_up(seat, card) else 0.0
            self._card(x + number * self._row_step(seat), y - up, self.card, card, hand)
        return y + RATIO * self.card

    def _beside(self, seat: int) -> float:
        """The free width on each side of a hand that lies in a row."""
        return (self.width - self._row_width(seat)) / 2 - 2 * self.pad

    def _sides_end(self, seat: int, bottom: float) -> float:
        """How far down the hands at the sides may go: past the hand at the bottom, if they do not meet."""
        free = self._beside(seat) > self.card
        return self.height - self.pad if free else bottom - self.plate - 0.35 * self.card

    def _column(self, seat: int, x: float, top: float, anchor: float, end: float) -> None:
        """A hand from top to bottom with its name above."""
        hand = self.table.hands[seat]
        self._plate(seat, self.pad if anchor == 0 else self.width - self.pad, top, anchor)
        y = top + self.plate + 0.5 * self.pad
        step = self._step(len(hand.cards), end - y - RATIO * self.card, 0.36 * self.card)
        for number, card in enumerate(hand.cards):
            aside = (0.14 if anchor == 0 else -0.14) * self.card if self._is_up(seat, card) else 0.0
            self._card(x + aside, y + number * step, self.card, card, hand)

    def _is_up(self, seat: int, card: int | None) -> bool:
        """Whether a card is pushed out of its hand, as one that may be played."""
        return card is not None and seat == self.table.to_act and bool(self.table.playable >> card & 1)

    def _card(self, x: float, y: float, width: float, card: int | None, hand: Hand) -> None:
        self.drawn.append(Card(x, y, width, card, card is not None and bool(hand.played >> card & 1)))

    def _plate(self, seat: int, x: float, y: float, anchor: float) -> None:
        """A seat's name and label."""
        hand, font = self.table.hands[seat], self.font
        acting = seat == self.table.to_act
        text = _plate_text(hand, acting)
        room = self.width - 2 * self.pad if anchor == 0.5 else self._side_room(y)
        size = fitting(text, room - font, font)
        wide = LETTER * size * len(text) + font
        left = x - anchor * wide
        fill, colour = (ACTING, DARK) if acting else (PLATE, LIGHT)
        self.drawn.append(Box(left, y, wide, self.plate, 0.4 * font, fill))
        self.drawn.append(
            Words(left + wide / 2, y + 0.5 * self.plate + 0.35 * size, size, text, colour, 0.5, acting)
        )

    def _side_room(self, y: float) -> float:
        """The width for the name of a seat at the side: up to the hand at the top, or to its name."""
        if len(self.table.hands) < 4:
            return self.width / 2 - 1.5 * self.pad
        seat = (self.table.bottom + 2) % 4
        if y < self.bar + self.card:
            return self._beside(seat)
        text = _plate_text(self.table.hands[seat], seat == self.table.to_act)
        return (self.width - self.font * (LETTER * len(text) + 1)) / 2 - 2 * self.pad

    def _pile(self, y: float) -> float:
        """The cards that lie apart, at the top; the lower edge of their name."""
        small = 0.62 * self.card
        gap = 0.08 * self.card
        x = (self.width - len(self.table.pile) * (small + gap) + gap) / 2
        for card in self.table.pile:
            self.drawn.append(Card(x, y, small, card))
            x += small + gap
        y += RATIO * small + self.font
        self.drawn.append(Words(self.width / 2, y, 0.9 * self.font, self.table.pile_name, SOFT, 0.5))
        return y + 0.4 * self.font

    def _trick(self, across: list[int], centre: float) -> None:
        """The cards on the table, each towards its seat."""
        card, tall = self.card, RATIO * self.card
        if len(across) == 4:
            places: tuple[tuple[float, float], ...] = (
                (0, 0.32 * tall),
                (-0.85 * card, 0),
                (0, -0.32 * tall),
                (0.85 * card, 0),
            )
        else:
            places = ((0, 0.24 * tall), (-0.75 * card, -0.2 * tall), (0.75 * card, -0.2 * tall))
        for seat, each in self.table.trick:
            x, y = places[across.index(seat)]
            self.drawn.append(Card(self.width / 2 + x - card / 2, centre + y - tall / 2, card, each))

    def _banner(self, centre: float) -> None:
        """The result of a finished game, in the middle."""
        lines, font = self.table.result, 1.15 * self.font
        room = self.width - 2 * (self.card + 3 * self.pad)
        wide = min(room, LETTER * font * max(map(len, lines)) + 2 * font)
        high = (1.5 * len(lines) + 0.9) * font
        self.drawn.append(Box((self.width - wide) / 2, centre - high / 2, wide, high, 0.5 * font, BANNER))
        for number, line in enumerate(lines):
            size = fitting(line, wide - font, font)
            y = centre - high / 2 + (1.5 * number + 1.55) * font
            self.drawn.append(Words(self.width / 2, y, size, line, DARK, 0.5, number == 0))


def _plate_text(hand: Hand, acting: bool) -> str:
    return " · ".join((hand.name, *hand.marks, *(["to act"] if acting else [])))
