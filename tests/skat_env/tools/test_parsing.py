"""JSON and TOML from outside: values, or one sentence."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from skat_env.tools.parsing import MAX_DEPTH, TooDeep, parse_json, parse_toml


def nested(depth: int, begin: str = "[", end: str = "]", inner: str = "") -> str:
    return begin * depth + inner + end * depth


@pytest.mark.parametrize("value", [None, 1, -1.5, "[[", [], {}, [{"a": [1, {}]}], {"é": "\x00"}])
def test_json_is_what_python_reads(value: Any) -> None:
    text = json.dumps(value)
    assert parse_json(text) == parse_json(text.encode()) == value
    assert parse_json(nested(MAX_DEPTH)) is not None


@pytest.mark.parametrize(
    "text",
    [
        *(nested(depth) for depth in (MAX_DEPTH + 1, 900, 1_000, 100_000)),
        nested(MAX_DEPTH + 1, '{"a":', "}", "1"),
        nested(100_000, '{"a":', "}", "1"),
        "[" * 100_000,
        nested(MAX_DEPTH, inner=nested(1, '{"a":', "}", "1")),
    ],
    ids=lambda text: f"{text[:3]}{len(text)}",
)
def test_deep_json_is_refused(text: str) -> None:
    with pytest.raises(TooDeep, match=r"^its values are nested too deeply: at most 64"):
        parse_json(text)


@pytest.mark.parametrize("text", ["", "[", "{1}", b"\xff", "9" * 5000, "[1,]"])
def test_what_is_not_json_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        parse_json(text)


def test_toml_nests_by_dots_too() -> None:
    assert parse_toml("a.b = [1]") == {"a": {"b": [1]}}
    for text in (f"a = {nested(100_000)}", f"{'.'.join('a' * 100)} = 1", f"[{'.'.join('a' * 5000)}]"):
        with pytest.raises(TooDeep):
            parse_toml(text)
    for wrong in ("a", f"a = {'9' * 5000}"):
        with pytest.raises(ValueError, match=r"^[^\n]+$"):
            parse_toml(wrong)


@pytest.mark.parametrize(
    "call", [lambda: parse_json("[" * 100_000), lambda: parse_toml("a = " + nested(200))]
)
def test_an_error_has_no_other_behind_it(call: Callable[[], Any]) -> None:
    with pytest.raises(TooDeep) as error:
        call()
    assert error.value.__suppress_context__ or error.value.__context__ is None
