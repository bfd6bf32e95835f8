"""Files of one JSON object: what is read, and what is written of numbers that are not finite."""

import json
from pathlib import Path

import pytest

from skat_env.errors import ParseError
from skat_env.tools.json_file import finite, read_object
from skat_env.tools.provenance import write_result


def test_an_object_is_read_and_all_else_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a": [1, null]}')
    assert read_object(path, "delete it") == {"a": [1, None]}
    for content in (b"", b"[]", b"3", b"{", b"\xff", b"[" * 100_000):
        path.write_bytes(content)
        with pytest.raises(ParseError, match=r"x.json is damaged: expected a JSON object; delete it$"):
            read_object(path, "delete it")


def test_what_is_not_finite_is_null(tmp_path: Path) -> None:
    value = {"a": [1.0, float("inf"), {"b": float("nan")}], "c": (-float("inf"), "inf", 2, True)}
    expected = {"a": [1.0, None, {"b": None}], "c": [None, "inf", 2, True]}
    assert finite(value) == expected
    write_result(tmp_path / "result.json", value)
    found = json.loads((tmp_path / "result.json").read_text())
    assert {key: found[key] for key in value} == expected
