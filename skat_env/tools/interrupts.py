"""Ctrl-C: what a command says after it, and where it would do harm."""

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

INTERRUPTED: Final = 130
"""The exit status of a command that Ctrl-C ended, as shells have it."""
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
def interrupts_waiting() -> Iterator[None]:
    """Keeps Ctrl-C waiting until the end of a block, and from processes that start in it for as long as they live.

    For the start of processes, as a half-started one prints where Ctrl-C found it, and for imports of libraries:
    in the middle of an import some end the process, as torch does, and some catch all errors, and Ctrl-C is lost.
    """
    waiting: list[int] = []
    # Another thread may get the signal; the handler then runs in the main thread all the same.
    handler = (
        signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    )
    if handler is not None:
        signal.signal(signal.SIGINT, lambda number, _: waiting.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if handler is not None:
            signal.signal(signal.SIGINT, handler)
        if waiting:
            signal.raise_signal(signal.SIGINT)
