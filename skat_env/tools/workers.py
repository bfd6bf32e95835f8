"""Independent pieces of work: done in this process, in several, or on many machines.

A piece must not depend on any other, so that the results are the same with every number of workers.
"""

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from enum import Enum
from itertools import islice, takewhile
from multiprocessing import current_process, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Final, Generic, Literal, Self, TypeVar, get_args

from skat_env.tools.extras import explained
from skat_env.tools.interrupts import interrupts_waiting

Item = TypeVar("Item")
Result = TypeVar("Result")
Backend = Literal["processes", "ray"]
MAX_WORKERS: Final = 10_000
AHEAD: Final = 2
"""How many pieces of work each worker has at a time: the one in hand and the next one."""
UNGUARDED: Final = 78
"""The exit status of a worker that was about to begin the work of the script that it imports."""


class Shared(Generic[Item]):
    """A value that many pieces of work have; a ray cluster sends it to each node once."""

    def __init__(self, value: Item) -> None:
        self.value = value
        self.reference: Any = None
        """Where the cluster has it."""


class _Later(Enum):
    LATER = "later"


LATER: Final = _Later.LATER
"""Stands among the items where the next one is not known before the caller has taken another result."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Who does the pieces of work. The results do not depend on it."""

    workers: int = 1
    """The number of workers. 0: one for each processor of this machine, or of the cluster as it grows and shrinks."""
    backend: Backend = "processes"
    """Where the workers run: processes of this machine, or a ray cluster."""
    address: str | None = None
    """The ray cluster, as HOST:PORT of its head, or auto: one that runs on this machine. Default: RAY_ADDRESS, else
    auto, else a cluster of this machine alone for as long as the command runs."""


def map_unordered(
    function: Callable[[Item], Result], items: Iterable[Item | _Later], workers: Workers | int = 1
) -> Generator[Result, None, None]:
    """Iterates over `function(item)` of every item as it is done, in any order; closing it ends the workers.

    Args:
        function: picklable if there are several workers; each worker gets one copy, which may keep caches.
        items: the pieces of work, picklable, and `LATER` where the next one has to wait for results.
        workers: who works; a number of processes of this machine, of which 1 is this process.

    Raises:
        ValueError: if these cannot be workers.
        ImportError: if ray is asked for and missing.
        ConnectionError: if there is no ray cluster at the address.
        ChildProcessError: if a worker was killed, on a ray cluster several in turn at the same piece; or if the script
            that asks for workers runs again in each.
    """
    return _mapped(function, items, workers, ordered=False)


def map_ordered(
    function: Callable[[Item], Result], items: Iterable[Item | _Later], workers: Workers | int = 1
) -> Generator[Result, None, None]:
    """The same in the order of the items."""
    return _mapped(function, items, workers, ordered=True)


def processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # on Linux alone
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def require_workers(workers: Workers | int) -> Workers:
    """Who works, as `Workers`.

    Raises:
        ValueError: unless these are 0 to `MAX_WORKERS` workers of a known backend.
    """
    end_if_imported_by_worker()
    asked = workers if isinstance(workers, Workers) else Workers(workers)
    number = asked.workers
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= MAX_WORKERS:
        raise ValueError(
            f"{number!r:.60} workers: expected at least 1 and at most {MAX_WORKERS:,}, or 0 for all there are"
        )
    if asked.backend not in get_args(Backend):
        raise ValueError(f"unknown backend {asked.backend!r:.60}: known are {', '.join(get_args(Backend))}")
    if asked.address is not None and asked.backend != "ray":
        raise ValueError(f"--address {asked.address} is of a ray cluster: it needs --backend ray")
    return asked


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

    def __exit__(self, *_: object) -> None:
        self._held.close()
        self._executor.shutdown(cancel_futures=True)
        self._leash.close()
        if any(process.exitcode == UNGUARDED for process in self._started.values()):
            raise ChildProcessError(
                "every worker imports the script that uses it: put what the script does under "
                "`if __name__ == '__main__':`"
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


def _mapped(
    function: Callable[[Item], Result], items: Iterable[Item | _Later], workers: Workers | int, ordered: bool
) -> Generator[Result, None, None]:
    """Iterates over the results; one worker needs no pool."""
    asked = require_workers(workers)
    if asked.backend == "ray":
        try:
            with interrupts_waiting():
                from skat_env.tools.ray_workers import mapped_by_ray
        except ModuleNotFoundError as error:
            raise explained(error) from None
        return mapped_by_ray(function, items, asked.workers, asked.address, ordered)
    number = asked.workers or processors()
    if number == 1:
        return (function(item) for item in items if item is not LATER)
    return _mapped_by_processes(function, items, number, ordered)


def taken(items: Iterator[Item | _Later], most: int) -> Iterator[Item]:
    """The next items, at most some number, up to one that is known later."""
    return takewhile(lambda item: item is not LATER, islice(items, max(0, most)))  # type: ignore[arg-type]


def _mapped_by_processes(
    function: Callable[[Item], Result], items: Iterable[Item | _Later], workers: int, ordered: bool
) -> Generator[Result, None, None]:
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
    os._exit(1)


def _work(item: Any) -> Any:
    assert _function is not None
    return _function(item)
