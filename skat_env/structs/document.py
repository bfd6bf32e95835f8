"""Structs as JSON, and back: what is read is checked against the rules, field by field."""

from functools import cache
from typing import Any

import msgspec

from skat_env.errors import IllegalAction, ParseError
from skat_env.options import check_option
from skat_env.protocols import Position, State, View
from skat_env.registry import get_game
from skat_env.structs.position import VERSION, ActionStruct, StateStruct, ViewStruct, struct_of
from skat_env.structs.schema import types_of


class _Head(msgspec.Struct):
    """What every struct has, whatever its version."""

    what: str
    schema: int
    game: str


def write_position(position: Position) -> str:
    """A State or a View as JSON.

    Raises:
        ValueError: if it is no position of a game that has structs.
    """
    return msgspec.json.encode(struct_of(position)).decode()


def read_position(text: str | bytes, game: str = "") -> State | View:
    """The State or the View of a JSON text.

    >>> from skat_env.structs import read_position, write_position
    >>> view = get_game("skat").state.random(np.random.default_rng(1)).view(0)
    >>> read_position(write_position(view)) == view
    True

    Args:
        text: the JSON.
        game: the game that it must be of; empty: any.

    Raises:
        ParseError: if it is malformed, of another game, or too new, or a field contradicts the rules.
    """
    given = _read(text, game)
    if not isinstance(given, StateStruct | ViewStruct):
        raise ParseError("the struct is no position: expected 'what' to be 'state' or 'view'")
    kind = get_game(given.game)
    try:
        position = (kind.state if isinstance(given, StateStruct) else kind.view).parse(given.position)
    except ValueError as error:
        raise ParseError(f"the struct has no legal position: {error}") from None
    right = struct_of(position)
    for name in right.__struct_fields__:
        if getattr(given, name) != getattr(right, name):
            raise ParseError(
                f"the struct contradicts its position in '{name}': expected {_json(getattr(right, name))}"
            )
    found: State | View = position
    return found


def write_action(game: str, action: int) -> str:
    """An action of a game as JSON.

    Raises:
        ValueError: if the game has no such action, or it is no whole number.
    """
    names = get_game(game).actions
    action = check_option("write_action", "action", int, action)
    if not 0 <= action < len(names):
        raise ValueError(f"action {action} is not one of 0..{len(names) - 1} of {game}")
    return _json(ActionStruct(VERSION, game, names[action]))


def read_action(text: str | bytes, position: Position) -> int:
    """The legal action of a JSON text.

    Raises:
        ParseError: if it is malformed, of another game, or too new.
        IllegalAction: if it is not legal in the position.
    """
    shown = struct_of(position)
    given = _read(text, shown.game)
    if not isinstance(given, ActionStruct):
        raise ParseError("the struct is no action: expected 'what' to be 'action'")
    if given.action not in shown.legal:
        raise IllegalAction(
            f"'{given.action}' is not legal: expected one of {', '.join(shown.legal) or 'none'}"
        )
    return get_game(shown.game).actions.index(given.action)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


@cache
def _decoder(game: str) -> Any:
    return msgspec.json.Decoder(types_of(game))


def _read(text: str | bytes, game: str) -> Any:
    """The struct of a JSON text."""
    try:
        head = msgspec.json.decode(text, type=_Head)
        if not 1 <= head.schema <= VERSION:
            raise ParseError(
                f"the struct has schema {head.schema}, expected 1 to {VERSION}: a newer skat_env may have written it"
            )
        if game and head.game != game:
            raise ParseError(f"the struct is of the game '{head.game}': expected one of {game}")
        get_game(head.game)
        return _decoder(head.game).decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ParseError(f"this is no struct: {str(error)[:200]}") from None
