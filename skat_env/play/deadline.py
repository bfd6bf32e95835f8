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
        at_once: how many are evaluated before the first look at the clock; see `rounds`.
    """
    if _current.get() is None:
        return evaluate(0, states)
    parts = [evaluate(first, states[first:end]) for first, end in rounds(len(states), at_once)]
    return np.concatenate(parts)


def rounds(count: int, at_once: int) -> Iterator[tuple[int, int]]:
    """The rounds in which so many things are tried, as (first, the one after the last), until time is up.

    Args:
        count: the number of things, at least 1.
        at_once: how many the first round has; every other has as many as all before it if time is ample, else these.
    """
    began, first, size = time.monotonic(), 0, at_once
    while first < count:
        end = min(first + size, count)
        yield first, end
        left = seconds_left()
        if left == 0:
            return
        first = end
        size = first if left is None or 4 * (time.monotonic() - began) < left else at_once
