"""JSON and TOML from outside: the values of a text, or one sentence."""

import json
import tomllib
from collections.abc import Callable
from typing import Any, Final

MAX_DEPTH: Final = 64
"""Lists and objects within each other; what the project writes has at most six, and Python breaks at a thousand."""


class TooDeep(ValueError):
    """Values that are nested too deeply."""

    def __init__(self) -> None:
        super().__init__(
            f"its values are nested too deeply: at most {MAX_DEPTH} lists or objects in each other"
        )


def parse_json(text: str | bytes, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """The value of a text of JSON; `pairs` makes an object of its keys and values, if it is not to be a dict.

    Raises:
        ValueError: if it is not JSON in UTF-8, or nested too deeply.
    """
    try:
        text = text if isinstance(text, str) else text.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8: {error}") from None
    return _shallow(lambda: json.loads(text, object_pairs_hook=pairs))


def parse_toml(text: str) -> dict[str, Any]:
    """The values of a text of TOML, by key.

    Raises:
        ValueError: if it is not TOML, or nested too deeply.
    """
    values: dict[str, Any] = _shallow(lambda: tomllib.loads(text))
    return values


def _shallow(parse: Callable[[], Any]) -> Any:
    """What a parser gives, if it is not nested too deeply."""
    try:
        value = parse()
    except RecursionError:
        raise TooDeep from None
    containers = [value]
    for _ in range(MAX_DEPTH + 1):
        containers = [each for each in containers if isinstance(each, list | dict)]
        if not containers:
            return value
        containers = [
            inner for each in containers for inner in (each.values() if isinstance(each, dict) else each)
        ]
    raise TooDeep
