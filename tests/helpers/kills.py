"""Work that is killed: in place of a write, or at a moment, by SIGKILL or what stands for it."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import pytest

KILLS: Final = int(os.environ.get("SKAT_ENV_KILLS", "2"))
"""The random kills of each kind of work in the long tests."""
NEVER: Final = 10**6
"""The number of a write that no work comes to, and of seconds that none takes."""
RENAMES: Final = ((Path, "replace"), (Path, "rename"))
"""The methods by which files and folders are written whole."""
_PRELOADED: Final = [
    "tests.conftest",
    "tests.helpers.everything",
    "tests.helpers.tiny_runs",
    "tests.test_killed_commands",
]


class Killed(BaseException):
    """Stands for the end of a process; nothing that ends an ordinary error catches it."""


def stop() -> None:
    """Ends the work in this process."""
    raise Killed


def kill() -> None:
    """Ends this process."""
    os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def killed_at(
    number: int, end: Callable[[], None], methods: Sequence[tuple[type, str]]
) -> Iterator[list[str]]:
    """Ends the work in place of the write of a number, counted from 0; the writes so far are in the list.

    Args:
        number: the number of the write.
        end: ends the work.
        methods: the methods that write, with their classes.
    """
    writes: list[str] = []

    def counted(whole: Callable[..., Any]) -> Callable[..., Any]:
        def write(self: Any, *args: Any, **kwargs: Any) -> Any:
            writes.append(str(self))
            if len(writes) == number + 1:
                end()
            return whole(self, *args, **kwargs)

        return write

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in methods:
            patch.setattr(owner, name, counted(getattr(owner, name)))
        yield writes


def exit_code(work: Callable[..., None], *args: Any) -> int | None:
    """Works in a process of its own, forked from one that has imported all and started no thread."""
    context = get_context("forkserver")
    context.set_forkserver_preload(_PRELOADED)
    process = context.Process(target=work, args=args)
    process.start()
    process.join(120)
    if process.is_alive():
        process.kill()
        process.join()
        pytest.fail("the work does not come to its end")
    return process.exitcode


def kill_after(seconds: float) -> None:
    """Kills this process after some seconds."""
    timer = threading.Timer(seconds, kill)
    timer.daemon = True
    timer.start()
