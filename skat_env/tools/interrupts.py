"""Ctrl-C where it would do harm."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interrupts_waiting() -> Iterator[None]:
    """Keeps Ctrl-C waiting until the end of a block, and from processes that start in it for as long as they live.

    For the start of processes, of which a half-started one prints where Ctrl-C found it, and for imports of libraries:
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
