"""Ctrl-C and SIGTERM: what a command does and says after them, and where they would do harm."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

INTERRUPTED: Final = 130
"""The exit status of a command that Ctrl-C or SIGTERM ended, as shells have it after Ctrl-C."""
CONTINUES: Final = "; the same command continues"
"""What is said of a command that goes on where Ctrl-C ended it."""


def stopped(games: int | None, is_kept: bool) -> int:
    """Says how far a command came that Ctrl-C ended, and how it goes on if its games are kept.

    Args:
        games: the number of games so far; None: it does not count them.
        is_kept: whether they are kept.

    Returns:
        The exit status of the command.
    """
    after = "" if games is None else f" after {games} games"
    print(f"stopped{after}" + (CONTINUES if is_kept else ""), file=sys.stderr)
    return INTERRUPTED


@contextmanager
def terminated_as_interrupted() -> Iterator[None]:
    """Has SIGTERM do what Ctrl-C does while a block runs: batch systems, `timeout` and `docker stop` send it.

    A handler that the process has already stays; so does everything in threads beside the main one.
    """
    is_ours = threading.current_thread() is threading.main_thread() and (
        signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )
    if is_ours:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        if is_ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def interrupts_waiting() -> Iterator[None]:
    """Keeps Ctrl-C waiting until the end of a block, and from processes that start in it for as long as they live.

    For the start of processes, as a half-started one prints where Ctrl-C found it, and for imports of libraries:
    in the middle of an import some end the process, as torch does, and some catch all errors, and Ctrl-C is lost.
    SIGTERM waits too where it does what Ctrl-C does; processes that start hear it.
    """
    waiting: list[int] = []
    handlers: dict[signal.Signals, Any] = {}
    # Another thread may get the signal; the handler then runs in the main thread all the same.
    if threading.current_thread() is threading.main_thread():
        for each in (signal.SIGINT, signal.SIGTERM):
            handler = signal.getsignal(each)
            if handler is signal.default_int_handler or (each == signal.SIGINT and handler is not None):
                handlers[each] = handler
                signal.signal(each, lambda number, _: waiting.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for each, handler in handlers.items():
            signal.signal(each, handler)
        if waiting:
            signal.raise_signal(waiting[0])
