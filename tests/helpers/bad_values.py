"""Calls with values that no caller should give, each made in a child process under a watchdog."""

import inspect
import json
import math
import os
import resource
import select
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import gymnasium
import numpy as np

from skat_env.errors import IllegalAction

PATIENCE: Final = 60
"""Seconds that a call may take. Each needs far less; machines may do other work."""
MEMORY: Final = 4 << 30
"""Bytes that the calls may take on top of what the process has."""

NUMBERS: Final = (
    math.nan,
    math.inf,
    -math.inf,
    -1,
    0,
    -0.5,
    1.5,
    1.0,
    10**6,
    2**31,
    2**63,
    -(2**63) - 1,
    10**30,
    10**400,
    1e300,
    -1e300,
    np.float64(math.nan),
    np.int64(-1),
    np.float32(0.5),
    np.array([1]),
)
OTHERS: Final = (
    True,
    False,
    np.bool_(True),
    None,
    "",
    "x",
    "1",
    "nix(a=1)",
    b"1",
    [],
    [0],
    ["x"],
    {},
    {"a": 1},
    (),
    object,
    1j,
)
VALUES: Final = (*NUMBERS, *OTHERS)


WORDS: Final = {
    "claim": ("no result",),
    "places": ("deal",),
    "text": ("deal", "position"),
    "line": ("record",),
    "positions": ("position", "solver", "reads", "views"),
    "kinds": ("kind",),
    "agents": ("agent",),
    "steps": ("step",),
    "games": ("game", "steps"),
    "starts": ("position",),
    "name": ("column",),
    "seats": ("seat",),
    "differences": ("comparison",),
    "hand": ("twice", "the same number"),
    "paranoia": ("sure_cards",),
    "hands": ("twice", "no card"),
    "table": ("twice",),
    "position": ("solver", "paranoia search"),
    "question": ("Question",),
    "path": ("folder",),
    "state": ("start", "position"),
    "states": ("start",),
    "mask": ("mask", "world"),
    "row": ("world",),
    "place": ("deal", "mask"),
}
"""What messages call some arguments."""


@dataclass(frozen=True)
class Call:
    """A call that is to succeed or to be refused in one sentence."""

    text: str
    run: Callable[[], object]
    words: tuple[str, ...]
    """The sentence has one of these: the name of the argument, or its value."""
    accepted: bool = True
    """Whether the call may succeed."""


def calls(
    text: str,
    function: Callable[..., object],
    arguments: Mapping[str, Any],
    names: Iterable[str] | None = None,
    values: Sequence[Any] = VALUES,
    accepts: Callable[[str, Any], bool] = lambda name, value: True,
    then: Callable[[Any], object] | None = None,
) -> list[Call]:
    """A call for each argument and bad value, the other arguments being good, and one with a name that does not exist.

    Args:
        text: what messages call the function.
        function: the function.
        arguments: the good arguments.
        names: the arguments to change; None: all of the function's signature.
        values: the bad values.
        accepts: whether an argument of a name may be a value.
        then: what is done with what an accepted value made.
    """

    def run(changed: Mapping[str, Any]) -> object:
        made = function(**{**arguments, **changed})
        return then(made) if then else made

    if names is None:
        names = [name for name in inspect.signature(function).parameters if name != "self"]
    return [
        Call(
            f"{text}({name}={shown(value)})",
            partial(run, {name: value}),
            (name, shown(value).partition("(")[0][:20], *WORDS.get(name, ())),
            accepts(name, value),
        )
        for name in names
        for value in values
    ]


def shown(value: object) -> str:
    """A value in messages."""
    text = str(value) if isinstance(value, str) and value else repr(value)
    return text if len(text) < 50 else f"{text[:50]}…"


def complaint(error: BaseException, words: Sequence[str]) -> str | None:
    """What is wrong with an error as an answer to a bad value; None: nothing."""
    text = str(error)
    known = isinstance(error, (ValueError, gymnasium.error.ResetNeeded))
    if isinstance(error, TypeError):
        known = "unexpected keyword argument" in text or "a solver" in text or "paranoia search takes" in text
        known |= text.startswith("Argument '") and "has incorrect type" in text  # of functions in C
    if isinstance(error, (KeyError, IndexError)):  # of sequences and of their columns
        known = True
    if isinstance(error, OSError):  # of a path that is none
        known = True
    if isinstance(error, IllegalAction) and "legal" in text:  # names the action by its text
        return None
    if not known:
        return "is no documented error"
    if not text or "\n" in text or len(text) > 1000 or "object at 0x" in text:
        return "is not one sentence"
    if not any(word in text for word in words):
        return f"names none of {', '.join(words)}"
    return None


def faults(calls: Sequence[Call], patience: float = PATIENCE) -> list[str]:
    """The calls that crash, hang, or are refused in another way than by one sentence of a documented error."""
    found: list[str] = []
    first = 0
    while first < len(calls):
        last, ended = _in_child(calls, first, patience, found)
        if ended:
            break
        first = last + 1
    return found


def _in_child(calls: Sequence[Call], first: int, patience: float, found: list[str]) -> tuple[int, bool]:
    """Makes the calls from a number on; returns the last one that was begun, and whether all were made."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _make(calls, first, writing)
    os.close(writing)
    last, ended, rest = first, False, b""
    try:
        while True:
            if not select.select([reading], [], [], patience)[0]:
                found.append(f"{calls[last].text}: takes more than {patience} s")
                break
            part = os.read(reading, 1 << 16)
            if not part:
                break
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                number, fault = json.loads(line)
                ended = number is None
                last = last if number is None else number
                if fault:
                    found.append(fault)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
    if not ended and not (found and found[-1].startswith(f"{calls[last].text}: takes")):
        found.append(f"{calls[last].text}: ends the process with status {status}")
    return last, ended


def _make(calls: Sequence[Call], first: int, writing: int) -> None:
    """Makes the calls and ends the process."""

    def tell(number: int | None, fault: str = "") -> None:
        os.write(writing, json.dumps([number, fault]).encode() + b"\n")

    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        with open("/proc/self/statm") as file:
            size = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null, 1)
        os.dup2(null, 2)
        if "torch" in sys.modules:  # a forked process must not use the threads of its parent
            sys.modules["torch"].set_num_threads(1)
        for number in range(first, len(calls)):
            call = calls[number]
            tell(number)
            try:
                call.run()
                if not call.accepted:
                    tell(number, f"{call.text}: is accepted")
            except BaseException as error:
                wrong = complaint(error, call.words)
                if wrong:
                    place = traceback.extract_tb(error.__traceback__)[-1]
                    told = f"{type(error).__name__}: {str(error)[:200]}"
                    tell(number, f"{call.text}: '{told}' {wrong} ({place.filename}:{place.lineno})")
        tell(None)
    finally:
        os._exit(0)
