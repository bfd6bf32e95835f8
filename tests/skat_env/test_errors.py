"""Messages of errors: one line of bounded length, whatever they quote."""

import pickle

import pytest

from skat_env.errors import MAX_MESSAGE, IllegalAction, OptionError, ParseError, UnknownName


@pytest.mark.parametrize("kind", [IllegalAction, OptionError, ParseError])
def test_a_message_is_one_line_of_bounded_length(kind: type[Exception]) -> None:
    assert str(kind("SJ is not légal …")) == "SJ is not légal …"
    assert str(kind("a\nb\0\x1b[1m\ud800")) == r"a\nb\x00\x1b[1m\ud800"
    long = kind("begin" + "9" * 10**6 + "end")
    assert len(str(long)) <= MAX_MESSAGE
    assert str(long).startswith("begin")
    assert str(long).endswith("end")
    assert str(pickle.loads(pickle.dumps(long))) == str(long)
    assert len(str(kind(kind("\n" * MAX_MESSAGE)))) <= MAX_MESSAGE


def test_unknown_names_are_quoted_in_one_line() -> None:
    error = UnknownName("agent", "ru\nle" + "x" * 10_000, ["rule"])
    assert len(str(error)) <= MAX_MESSAGE
    assert "\n" not in str(error)
    assert str(UnknownName("agent", "ru\nle", ["rule"])).startswith(
        r"unknown agent 'ru\nle': did you mean 'rule'?"
    )
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
