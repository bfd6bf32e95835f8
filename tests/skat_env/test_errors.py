"""Messages of errors: one line of bounded length, whatever they quote."""

import pickle

import pytest

from skat_env.agents.language.agent import BudgetSpent
from skat_env.errors import (
    MAX_MESSAGE,
    EngineError,
    IllegalAction,
    NotFinite,
    OptionError,
    ParseError,
    UnknownName,
    _Refusal,
)
from skat_env.play.lockstep import IllegalDecision
from skat_env.records import HiddenCards, Source
from skat_env.solvers.endings.ending import TooLarge

PLAIN = (IllegalAction, IllegalDecision, ParseError, OptionError, EngineError, BudgetSpent, TooLarge)
ERRORS: tuple[_Refusal, ...] = (
    *(kind("a\nb") for kind in PLAIN),
    UnknownName("agent", "rul", ["rule"]),
    NotFinite("a network", float("inf"), 3, "a position"),
    HiddenCards("a\nb", "klaverjas", Source("a server", 1, 2)),
)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_workers_hand_errors_on(error: _Refusal) -> None:
    read = pickle.loads(pickle.dumps(error))
    assert type(read) is type(error)
    assert str(read) == str(error)
    assert vars(read) == vars(error)


def test_each_error_is_among_them() -> None:
    kinds, found = [_Refusal], set()
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        found |= {kind} if kind.__module__.startswith("skat_env") else set()
    assert found - {_Refusal} == {type(error) for error in ERRORS}


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
