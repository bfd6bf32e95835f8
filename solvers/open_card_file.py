"""Files of open-card positions, one JSON object a line: the games are told apart by their keys.

The lines are described where each game is: `skat_open_card.py`, `klaverjas_open_card.py`. Keys that a game does not
know are kept as they are.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from skat_env.errors import IllegalAction, ParseError
from skat_env.position_text import split_position
from solvers.klaverjas.open_card import KlaverjasOpenCard
from solvers.open_card_line import OpenCardGame, OpenCardLine
from solvers.skat.open_card import SkatOpenCard

Read = tuple[OpenCardGame, OpenCardLine]

GAMES: Final[tuple[OpenCardGame, ...]] = (SkatOpenCard(), KlaverjasOpenCard())


def parse_open_card_line(text: str) -> Read:
    """The game and the position of a line.

    Raises:
        ParseError: if it is malformed, or no deal of its game.
        IllegalAction: if the cards played are not legal.
    """
    try:
        fields = json.loads(text)
    except json.JSONDecodeError as error:
        raise ParseError(f"not a JSON object: {error}") from None
    if not isinstance(fields, dict):
        raise ParseError("not a JSON object")
    found = [game for game in GAMES if game.mark in fields]
    if len(found) != 1:
        marks = " or ".join(f"{game.mark} ({game.name})" for game in GAMES)
        raise ParseError(f"a line has one of the keys {marks}, this one has {'both' if found else 'neither'}")
    return found[0], found[0].parse(fields)


def parse_position(text: str) -> Read:
    """The game and the position of a line, or of the text that a state writes.

    Raises:
        ParseError, IllegalAction: as `parse_open_card_line`.
    """
    if text.lstrip().startswith("{"):
        return parse_open_card_line(text)
    deal, _, _ = split_position(text)
    sizes = tuple(len(place.split(".")) for place in deal.split("/"))
    for game in GAMES:
        if sizes == game.place_sizes:
            return game, game.parse_text(text)
    known = " or ".join(f"{'/'.join(map(str, game.place_sizes))} ({game.name})" for game in GAMES)
    raise ParseError(f"the deal has {'/'.join(map(str, sizes))} cards at its places, expected {known}")


def read_open_card_lines(path: Path) -> Iterator[Read]:
    """The games and positions of a file.

    Raises:
        ParseError: if a line is malformed; names it.
        IllegalAction: if the cards played are not legal; names the line.
    """
    with path.open() as file:
        for number, text in enumerate(file, start=1):
            if text.strip():
                try:
                    yield parse_open_card_line(text)
                except ValueError as error:
                    kind = IllegalAction if isinstance(error, IllegalAction) else ParseError
                    raise kind(f"{path}:{number}: {error}") from None
