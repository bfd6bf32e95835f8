"""The time that a decision may take, for whoever asks an agent with a clock running.

Searches that can answer early look here: they end with what they have found. Others do not know of it.
"""

import contextvars
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

S = TypeVar("S")


class Deadline:
    """The end of the time for a decision; `stop`, which any thread may call, makes it now.

    Args:
        seconds: the time from now, of wall-clock time.
    """

    def __init__(self, seconds: float) -> None:
        self._until = time.monotonic() + seconds

    def stop(self) -> None:
        """Ends the time."""
        self._until = time.monotonic()

    @property
    def seconds(self) -> float:
        """The seconds that are left; at least 0."""
        return max(0.0, self._until - time.monotonic())


_current: contextvars.ContextVar[Deadline | None] = contextvars.ContextVar("deadline", default=None)


@contextmanager
def under(deadline: Deadline) -> Iterator[None]:
    """Decisions that are made in this context, in this thread, end by the deadline where they can."""
    token = _current.set(deadline)
    try:
        yield
    finally:
        _current.reset(token)


def seconds_left() -> float | None:
    """The seconds that this decision has left, at least 0; None: it has no deadline."""
    deadline = _current.get()
    return None if deadline is None else deadline.seconds


def shorter(seconds: float | None) -> float | None:
    """The shorter of a time and of what this decision has left; None stands for no limit."""
    left = seconds_left()
    if left is None or left == float("inf"):
        return seconds
    return left if seconds is None else min(seconds, left)


def values_in_time(
    evaluate: Callable[[int, list[S]], NDArray[np.float64]], states: list[S], at_once: int = 4
) -> NDArray[np.float64]:
    """What a function finds for states, float64 [states, ...]; fewer of the first ones, at least one, if time is up.

    Args:
        evaluate: (number of the first, states) -> a row each, which does not depend on the other states.
        states: the states, the most important first; not empty.
        at_once: how many are evaluated before the first look at the clock; twice as many before the next, if time is
            ample.
    """
    if _current.get() is None:
        return evaluate(0, states)
    rows: list[NDArray[np.float64]] = []
    began, first = time.monotonic(), 0
    while first < len(states):
        rows.append(evaluate(first, states[first : first + at_once]))
        left = seconds_left()
        if not left:
            break
        first += at_once
        at_once *= 2 if 4 * (time.monotonic() - began) < left else 1
    return np.concatenate(rows)
