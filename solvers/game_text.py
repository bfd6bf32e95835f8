"""Games and positions in whatever text they come: a record in any format, a state, a view, an open-card line."""

from typing import Any

from skat_env.datasets.formats import RECORDS, line_formats
from skat_env.errors import ParseError
from skat_env.position_text import split_position
from skat_env.records import GameRecord
from skat_env.registry import game_names, get_game
from skat_env.solvers.open_card import parse_position


def read_record(text: str) -> GameRecord | None:
    """The game that a line records; None if it is no record.

    Raises:
        ParseError: if it is a record that is malformed.
    """
    if text.startswith("{"):
        return RECORDS.read(text).record if '"position"' in text else None
    for each in line_formats().values():
        if each.at(text) is not None and each.reader is None:
            return each.read(text).record
    return None


def read_position(text: str) -> tuple[str, Any]:
    """The game and the State or View of a text.

    Raises:
        ParseError, IllegalAction: if it is no position, or one that cannot be.
    """
    if not text.startswith("{"):
        deal, head, _ = split_position(text)
        if any(word.startswith("seat=") for word in head):
            return _view(text, deal)
    lines, line = parse_position(text)
    return lines.name, line.position


def _view(text: str, deal: str) -> tuple[str, Any]:
    """The game and the View of a text; the cards that the view shows tell the games apart."""
    shown = [word.count(".") + 1 for word in deal.split("/") if word != "?"]
    known = []
    for name in game_names():
        game = get_game(name)
        if len(deal.split("/")) == len(game.place_sizes) and set(shown) <= set(game.place_sizes):
            kind = game.view
            return name, kind.parse(text)
        known.append(f"{'/'.join(map(str, game.place_sizes))} ({name})")
    sizes = " and ".join(map(str, shown)) or "no"
    raise ParseError(f"the view shows {sizes} cards at its places, expected those of {' or '.join(known)}")
