"""The text from which an object can be made again, derived from the options that it was made with."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

from skat_env.call_text import call_text

UNNAMED: Final = ("self", "game", "threads")
"""Options without which the same is decided: the game is known, and threads change the time alone."""
_GIVEN: Final = "_given_options"


def own_text(made: object, name: str, *always: str, **parts: Any) -> str:
    """The name of an object, with all options that differ from their defaults, in the order of the constructor.

    Only a constructor with `checked_options` can ask, or one that takes a dataclass of options, which it passes.

    Args:
        made: the object, or its dataclass of options.
        name: the name in the registry.
        always: options that are named with their defaults, too.
        parts: what was made of options: where the option was a name, the object's own name stands; None: it is left
            out.
    """
    changed = {}
    for option, (default, value) in _options(made).items():
        if option in UNNAMED:
            continue
        text = _text(parts.get(option, value))
        is_part_of_nothing = option in parts and text is None
        is_changed = value is not default and text != _text(default) and not is_part_of_nothing
        if option in always or is_changed:
            changed[option] = text
    return call_text(name, changed)


def construct(function: Callable[..., Any], bound: inspect.BoundArguments) -> None:
    """Runs a constructor, which may ask for `own_text` meanwhile."""
    made = bound.args[0]
    # A constructor may call that of its base, which has options of its own.
    outer = vars(made).get(_GIVEN)
    vars(made)[_GIVEN] = bound
    try:
        function(*bound.args, **bound.kwargs)
    finally:
        vars(made).pop(_GIVEN, None)
        if outer is not None:
            vars(made)[_GIVEN] = outer


def _options(made: object) -> Mapping[str, tuple[Any, Any]]:
    """The default and the value of each option."""
    if is_dataclass(made):
        return {field.name: (field.default, getattr(made, field.name)) for field in fields(made)}
    bound: inspect.BoundArguments = vars(made)[_GIVEN]
    return {
        option: (parameter.default, bound.arguments.get(option, parameter.default))
        for option, parameter in bound.signature.parameters.items()
    }


def _text(value: Any) -> Any:
    """A value as texts have it; None for nothing."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple):
        return "+".join(map(str, value))
    return str(getattr(value, "name", value))
