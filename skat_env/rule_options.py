"""A game's rule options as text: `legality=amsterdam choice=free`."""

import dataclasses
from typing import Any, Literal, get_args, get_origin, get_type_hints

from skat_env.errors import ParseError, UnknownName
from skat_env.protocols import Game


def parse_rules(text: str, game: Game) -> Any:
    """The rules of a game from `key=value` words joined by blanks or commas; other options keep their defaults.

    Truth values are `true` or `false`, or 1 or 0.

    Raises:
        ParseError: if a word is malformed or a key is given twice.
        UnknownName: if the game has no such option, or the option no such value.
    """
    hints = get_type_hints(game.rules)
    options: dict[str, Any] = {}
    for word in text.replace(",", " ").split():
        name, equals, value = word.partition("=")
        if not equals or name in options:
            raise ParseError(f"the rule '{word}' is malformed or given twice: expected option=value")
        if name not in hints:
            raise UnknownName(
                f"rule of {game.name}", name, [field.name for field in dataclasses.fields(game.rules)]
            )
        values = _values(hints[name])
        if value not in values:
            raise UnknownName(f"value of the rule '{name}'", value, values)
        options[name] = values[value]
    return game.rules(**options)


def _values(kind: Any) -> dict[str, Any]:
    """The values of an option, by their texts."""
    if get_origin(kind) is Literal:
        return {str(value): value for value in get_args(kind)}
    return {"true": True, "false": False, "1": True, "0": False}


def rule_choices(game: Game) -> dict[str, tuple[list[str], str]]:
    """The rule options of a game: by name the texts of the values, and that of the default."""
    hints, defaults = get_type_hints(game.rules), game.rules()
    found = {}
    for field in dataclasses.fields(game.rules):
        values = _values(hints[field.name])
        default = getattr(defaults, field.name)
        texts = list(dict.fromkeys(values.values()))  # truth values have two texts each
        names = [next(text for text in values if values[text] == value) for value in texts]
        found[field.name] = names, names[texts.index(default)]
    return found
