"""Threads that have all ended when a call ends, so that what they work on may be freed."""

from collections.abc import Callable, Sequence
from typing import Any

def run_threads(
    work: Callable[..., object], arguments: Sequence[tuple[Any, ...]], halt: Callable[[], object]
) -> None:
    """Calls `work` with each of some arguments, on a thread each, and waits until all have ended.

    Args:
        work: what each thread does.
        arguments: those of each thread.
        halt: called, perhaps several times, when an exception of a signal interrupts the wait; should end the work
            soon.

    Raises:
        BaseException: the last exception of a signal, as Ctrl-C raises it, or the first of `work`, once all threads
            have ended.
        RuntimeError: if no thread can be started.
    """
