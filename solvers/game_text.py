"""Games and positions in whatever text they come: a record in any format, a state, a view, an open-card line."""

from typing import Any

from skat_env.datasets.formats import RECORDS, line_formats
from skat_env.errors import ParseError
from skat_env.position_text import split_position
from skat_env.records import GameRecord
from skat_env.registry import get_game
from skat_env.solvers.open_card import game_of_deal, parse_open_card_line


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
    if text.startswith("{"):
        lines, line = parse_open_card_line(text)
        if not isinstance(line.position, get_game(lines.name).state):
            raise ParseError(
                f"a line with the key {lines.mark} is what one player knows: expected a state or a view"
            )
        return lines.name, line.position
    deal, head, _ = split_position(text)
    game = game_of_deal(deal)
    kind = game.view if any(word.startswith("seat=") for word in head) else game.state
    return game.name, kind.parse(text)
