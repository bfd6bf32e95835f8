"""Texts that name agents, beliefs and evaluators: `pimc(worlds=160, belief=uniform)`, a name with options."""

import re
from collections.abc import Mapping
from typing import Any

from skat_env.errors import OptionError, ParseError


def parse_call(text: str) -> tuple[str, list[Any], dict[str, Any]]:
    """The name, arguments and named options in a text `name(value, option=value)`.

    >>> parse_call("pimc(40, belief=locations(features=BDI))")
    ('pimc', [40], {'belief': 'locations(features=BDI)'})

    Values are numbers, truth values and words; a value with options of its own stays text.

    Raises:
        ParseError: if the text is malformed, or an option is given twice.
    """
    match = re.fullmatch(r"\s*([^\s()=,]+)\s*(?:\((.*)\))?\s*", text, flags=re.DOTALL)
    malformed = ParseError(f"'{text}' is malformed: expected name(option=value, ...)")
    if match is None:
        raise malformed
    name, inside = match.groups()
    arguments: list[Any] = []
    options: dict[str, Any] = {}
    parts = _split(inside or "")
    if parts is None:
        raise malformed
    for part in parts:
        option = re.fullmatch(r"\s*(\w+)\s*=(.*)", part, flags=re.DOTALL)
        value = (option[2] if option else part).strip()
        plain = "(" not in value and value[:1] not in "\"'"
        if not value or (plain and re.search(r"[\s=)]", value)):
            raise malformed
        if not option:
            arguments.append(parse_value(value))
        elif option[1] in options:
            raise ParseError(f"'{text}' gives its option '{option[1]}' twice")
        else:
            options[option[1]] = parse_value(value)
    return name, arguments, options


def parse_labelled(text: str) -> tuple[str, str]:
    """The label and the agent in a text `LABEL=AGENT`; an agent without one is its own label.

    >>> parse_labelled("quick=champion(quick=true)")
    ('quick', 'champion(quick=true)')
    >>> parse_labelled("pimc(worlds=40)")
    ('pimc(worlds=40)', 'pimc(worlds=40)')
    """
    match = re.fullmatch(r"([A-Za-z0-9_.-]+)=(.+)", text, flags=re.DOTALL)
    return (match[1], match[2]) if match is not None else (text, text)


def call_text(name: str, options: Mapping[str, Any]) -> str:
    """The text that `parse_call` reads as a name and options.

    >>> call_text("pimc", {"worlds": 40, "ties": False})
    'pimc(worlds=40, ties=false)'

    Raises:
        OptionError: if a text has both kinds of quotes, so that it cannot be put between either.
    """
    words = []
    for option, value in options.items():
        word = value_text(value)
        if not _is_read(word, value):
            word = f"'{word}'" if '"' in word else f'"{word}"'
            if not _is_read(word, value):
                raise OptionError(f"{name} with {option}={value} has both kinds of quotes: expected one")
        words.append(f"{option}={word}")
    return f"{name}({', '.join(words)})" if words else name


def value_text(value: Any) -> str:
    """A value of an option as it is written: `true`, `none`, a number, a word."""
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    return str(value).lower() if isinstance(value, bool | None) else str(value)


def _is_read(word: str, value: Any) -> bool:
    """Whether a word is read as one value, and that of a text as this text, not as a number."""
    try:
        read = parse_call(f"x(y={word})")
    except ParseError:
        return False
    return not isinstance(value, str) or read == ("x", [], {"y": value})


def _split(text: str) -> list[str] | None:
    """The parts between commas outside brackets and quotes; None if brackets or quotes do not match."""
    parts, depth, quote = [""], 0, ""
    for letter in text:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "()":
            depth += 1 if letter == "(" else -1
            if depth < 0:
                return None
        if letter == "," and not depth and not quote:
            parts.append("")
        else:
            parts[-1] += letter
    if depth or quote:
        return None
    return parts if text.strip() else []


def parse_value(text: str) -> Any:
    """A number, a truth value, or the text itself, without quotes around it."""
    if len(text) > 1 and text[0] in "\"'" and text[-1] == text[0]:
        return text[1:-1]
    if text in ("true", "True", "false", "False"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
