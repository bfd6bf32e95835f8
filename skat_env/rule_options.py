"""A game's rule options as text: `legality=amsterdam choice=free`."""

import dataclasses
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from skat_env.errors import ParseError, UnknownName
from skat_env.protocols import Game

ABOUT: Final = "about"
"""The key of a field's metadata under which a class of rules explains an option to those who choose it."""


@dataclass(frozen=True, slots=True)
class RuleOption:
    """An option of a game's rules."""

    name: str
    choices: tuple[str, ...]
    """The texts of its values."""
    default: str
    about: str
    """What it means, for a person who chooses; empty: not said."""


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


def rule_choices(game: Game) -> list[RuleOption]:
    """The options of a game's rules."""
    hints, defaults = get_type_hints(game.rules), game.rules()
    found = []
    for field in dataclasses.fields(game.rules):
        values = _values(hints[field.name])
        names: dict[Any, str] = {}
        for text, value in values.items():
            names.setdefault(value, text)  # truth values have two texts each
        default = names[getattr(defaults, field.name)]
        found.append(RuleOption(field.name, tuple(names.values()), default, field.metadata.get(ABOUT, "")))
    return found
