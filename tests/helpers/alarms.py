"""Ctrl-C in the middle of a call, by alarms."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

APART = 0.004
"""Seconds between two interrupts."""


@contextmanager
def interrupts(after: float, count: int = 1) -> Iterator[list[int]]:
    """Raises KeyboardInterrupt after some seconds of a block, and again shortly after; yields the signals heard.

    The last may come when the first has ended the block: what expects them stands before it.
    """
    heard: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        if len(heard) >= count:
            signal.setitimer(signal.ITIMER_REAL, 0)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, after, APART)
        yield heard
    finally:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        finally:
            signal.signal(signal.SIGALRM, before)
