"""A whole game as a strip of tricks."""

from typing import Any

from skat_env.options import Count, checked_options
from skat_env.pictures.layout import (
    ACTING,
    BAR,
    FELT,
    LIGHT,
    RATIO,
    SOFT,
    Box,
    Card,
    Drawing,
    Item,
    Mark,
    Words,
    fitting,
)
from skat_env.pictures.table import Table, table_of

_CARD = 40.0
"""The width of a card in pixels."""


@checked_options("a strip of tricks")
def strip(game: str, state: Any, names: tuple[str, ...] = (), columns: Count = 5) -> Drawing:
    """A game as a picture: what was played, then trick by trick the cards of each seat.

    The card that led a trick has a frame.

    Args:
        game: the game's name.
        state: its last position.
        names: the names of the players, by seat; empty: none.
        columns: the tricks in a row.

    Raises:
        ValueError: if the game gives no pictures, or the names are not one for each seat.
    """
    table = table_of(game, state)
    seats = len(table.hands)
    if names and len(names) != seats:
        raise ValueError(f"{len(names)} names of players: expected one for each of {seats} seats, or none")
    plays = state.plays()
    tricks = [plays[first : first + seats] for first in range(0, len(plays), seats)]
    left, high = 150.0, RATIO * _CARD + 8
    columns = max(1, min(columns, len(tricks)))
    rows = -(-len(tricks) // columns)
    width = max(420.0, left + columns * (_CARD + 12) + 6)
    height = 64 + rows * (seats * high + 24) + 6
    items: list[Item] = [Box(0, 0, width, height, 0, FELT), *_heading(table, width)]
    for number, trick in enumerate(tricks):
        row, column = divmod(number, columns)
        top = 64 + row * (seats * high + 24)
        x = left + column * (_CARD + 12)
        items.append(Words(x + _CARD / 2, top + 14, 12, str(number + 1), SOFT, 0.5))
        for place, (seat, card) in enumerate(trick):
            y = top + 20 + seat * high
            if place == 0:
                items.append(Box(x - 3, y - 3, _CARD + 6, RATIO * _CARD + 6, 5, ACTING))
            items.append(Card(x, y, _CARD, card))
    for row in range(rows):
        for seat, hand in enumerate(table.hands):
            y = 64 + row * (seats * high + 24) + 20 + seat * high + 0.6 * _CARD
            items.append(Words(10, y, 13, hand.name, LIGHT, 0.0, True))
            words = names[seat] if names else ", ".join(hand.marks)
            items.append(Words(10, y + 16, min(11.0, 250 / max(1, len(words))), words, SOFT))
    return Drawing(items, round(width), round(height))


def _heading(table: Table, width: float) -> list[Item]:
    """What was played and how it ended."""
    items: list[Item] = [Box(0, 0, width, 56, 0, BAR)]
    left = 10.0
    if table.suit is not None:
        items.append(Mark(20, 18, 20, table.suit))
        left = 40.0
    items.append(Words(left, 23, 15, table.title, LIGHT, 0.0, True))
    words = "; ".join(table.result or table.lines)
    items.append(Words(10, 46, fitting(words, width - 20, 12.0), words, SOFT))
    return items
