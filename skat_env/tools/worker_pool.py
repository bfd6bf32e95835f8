"""Processes of this machine that do independent pieces of work beside the one that has them."""

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from multiprocessing import current_process, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Final, Generic, Self, TypeVar

from skat_env.tools.interrupts import interrupts_waiting
from skat_env.tools.pieces import Later, taken

Item = TypeVar("Item")
Result = TypeVar("Result")
AHEAD: Final = 2
"""How many pieces of work each worker has at a time: the one in hand and the next one."""
UNLOADED: Final = 1
"""The exit status of a worker that could not load what it was given: Python's own after an error."""
UNGUARDED: Final = 78
"""The exit status of a worker that was about to begin the work of the script that it imports."""


def end_if_imported_by_worker() -> None:
    """Ends a worker that imports the script it was started from, and so would begin the same work again."""
    if getattr(current_process(), "_inheriting", False):
        raise SystemExit(UNGUARDED)


class WorkerPool(Generic[Item, Result]):
    """Processes of this machine that work beside this one; a context manager, at whose end they end.

    They end at once, whatever they are doing, and also when this process is killed.

    Args:
        function: what is done with each item, picklable; each worker gets one copy.
        workers: how many processes there are at most.
    """

    def __init__(self, function: Callable[[Item], Result], workers: int = 1) -> None:
        end_if_imported_by_worker()
        # Spawned, not forked: a fork of a process that has threads (torch, solvers) may hang.
        context = get_context("spawn")
        self._leash, self._held = context.Pipe(duplex=False)
        self._executor = ProcessPoolExecutor(workers, context, _start_worker, (function, self._leash))
        self._started: dict[int, BaseProcess] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._held.close()
        self._executor.shutdown(cancel_futures=True)
        self._leash.close()
        statuses = {process.exitcode for process in self._started.values()}
        if UNGUARDED in statuses:
            raise ChildProcessError(
                "every worker imports the script that uses it: put what the script does under "
                "`if __name__ == '__main__':`"
            ) from None
        if kind is ChildProcessError and UNLOADED in statuses:
            raise ChildProcessError(
                "a worker process could not start: what it is given (an agent of your own) must be importable from a "
                "module or a script file, not from a notebook or standard input"
            ) from None

    def submit(self, item: Item) -> Future[Result]:
        """Hands out a piece of work; `result_of` waits for it."""
        try:
            with interrupts_waiting():
                future = self._executor.submit(_work, item)
        except BrokenExecutor as error:
            raise _killed(error) from None
        self._started |= self._executor._processes
        return future


def result_of(future: Future[Result]) -> Result:
    """The result of a piece of work, once it is there.

    Raises:
        ChildProcessError: if the worker was killed.
    """
    try:
        return future.result()
    except BrokenExecutor as error:
        raise _killed(error) from None


def _killed(error: BrokenExecutor) -> ChildProcessError:
    return ChildProcessError(f"a worker process was killed: {error}")


def mapped_by_processes(
    function: Callable[[Item], Result], items: Iterable[Item | Later], workers: int, ordered: bool
) -> Generator[Result, None, None]:
    """Iterates over `function(item)` of every item, in their order or as they are done; closing it ends the workers."""
    remaining = iter(items)
    with WorkerPool(function, workers) as pool:
        waiting: deque[Future[Result]] = deque()

        def fill() -> None:
            waiting.extend(map(pool.submit, taken(remaining, AHEAD * workers - len(waiting))))

        fill()
        while waiting:
            if not ordered:
                done = wait(waiting, return_when=FIRST_COMPLETED).done
                waiting.rotate(-next(i for i, future in enumerate(waiting) if future in done))
            result = result_of(waiting.popleft())
            fill()  # before whoever takes the result is slow
            yield result
            fill()  # what is known now


_function: Callable[[Any], Any] | None = None


def _start_worker(function: Callable[[Any], Any], leash: Connection | None = None) -> None:
    """Takes the function into a worker once, and leaves Ctrl-C to the process that has the workers.

    Args:
        function: what the worker does with each item.
        leash: a pipe whose other end the process that has the workers holds: the worker ends with that.
    """
    global _function
    _function = function
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if leash is not None:
        threading.Thread(target=_end_with, args=(leash,), daemon=True).start()


def _end_with(leash: Connection) -> None:
    """Ends this process when the other end of a pipe is closed, by its holder or by the holder's death."""
    leash.poll(None)
    os._exit(0)


def _work(item: Any) -> Any:
    assert _function is not None
    return _function(item)
