"""Options of a game's rules as text: `legality=amsterdam choice=free`."""

import dataclasses
from typing import Any, Literal, get_args, get_origin, get_type_hints

from skat_env.errors import ParseError, UnknownName
from skat_env.protocols import Game


def parse_rules(game: Game, text: str) -> Any:
    """The rules that `key=value` words, separated by blanks, describe; what they do not name is the game's default.

    Raises:
        ParseError: if a word is not `key=value`, or a key is given twice.
        UnknownName: if the game has no such option, or the option no such value.
    """
    kinds = {field.name: get_type_hints(game.rules)[field.name] for field in dataclasses.fields(game.rules)}
    options: dict[str, Any] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not equals or not value:
            raise ParseError(f"'{word}' is not an option of the rules: expected key=value")
        if name not in kinds:
            raise UnknownName(f"option of {game.name}'s rules", name, kinds)
        if name in options:
            raise ParseError(f"the option '{name}' of the rules is given twice")
        options[name] = _value(name, value, kinds[name])
    return game.rules(**options)


def _value(name: str, text: str, kind: Any) -> Any:
    """The value of an option: a truth value, or one of a list."""
    values = get_args(kind) if get_origin(kind) is Literal else (False, True)
    texts = {str(value).lower() if isinstance(value, bool) else str(value): value for value in values}
    if text not in texts:
        raise UnknownName(f"value of the rule '{name}'", text, texts)
    return texts[text]
