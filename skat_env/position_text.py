"""Parsing the text of a position, `deal key=value ... : actions`, for every game."""

from collections.abc import Collection

from skat_env.errors import ParseError
from skat_env.options import check_option


def split_position(text: str) -> tuple[str, list[str], list[str]]:
    """The deal, the `key=value` words and the action words of a position's text.

    Raises:
        ParseError: if the colon or the deal is missing.
        OptionError: if it is no text.
    """
    head, colon, actions = check_option("a position", "text", str, text).partition(":")
    words = head.split()
    if not colon or not words:
        raise ParseError("a position is 'deal [key=value ...] : actions'; the colon or the deal is missing")
    return words[0], words[1:], actions.split()


def read_fields(words: list[str], known: Collection[str]) -> dict[str, str]:
    """The fields of `key=value` words.

    Raises:
        ParseError: if a key is unknown or given twice.
    """
    fields: dict[str, str] = {}
    for word in words:
        name, _, value = word.partition("=")
        if name not in known or name in fields:
            raise ParseError(
                f"unknown or repeated field '{word}' in a position: known are {', '.join(known)}"
            )
        fields[name] = value
    return fields
