"""Doing many independent pieces of work: in this process, in several, or on many machines.

A piece must not depend on any other, so that the results are the same with every number of workers.
"""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
Backend = Literal["processes", "ray"]


def map_unordered(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    workers: int = 1,
    backend: Backend = "processes",
) -> Iterator[Result]:
    """Iterates over `function(item)` of every item as it is done, in any order.

    Args:
        function: picklable if there are several workers; each worker gets one copy, which may keep caches.
        items: the pieces of work, picklable.
        workers: 1 works in this process.
        backend: `processes` on this machine, or `ray` on the cluster that ray finds.

    Raises:
        ValueError: if there is no worker.
    """
    return _mapped(function, items, workers, backend, "imap_unordered")


def map_ordered(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    workers: int = 1,
    backend: Backend = "processes",
) -> Iterator[Result]:
    """The same in the order of the items."""
    return _mapped(function, items, workers, backend, "imap")


def processors() -> int:
    """The number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # on Linux alone
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def require_workers(workers: int) -> None:
    """Raises a ValueError if there is no worker."""
    if workers < 1:
        raise ValueError(f"{workers} workers: expected at least 1")


def _mapped(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    workers: int,
    backend: Backend,
    method: Literal["imap", "imap_unordered"],
) -> Iterator[Result]:
    """Iterates over the results as a method of a pool gives them; one worker needs no pool."""
    require_workers(workers)
    if workers == 1 and backend == "processes":
        return map(function, items)
    return _pooled(function, items, workers, backend, method)


def _pooled(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int, backend: Backend, method: str
) -> Iterator[Result]:
    with _pool(workers, backend, function) as pool:
        yield from getattr(pool, method)(_work, items)


_function: Callable[[Any], Any] | None = None


def _start_worker(function: Callable[[Any], Any]) -> None:
    """Takes the function into a worker once, and leaves Ctrl-C to the process that has the workers."""
    global _function
    _function = function
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work(item: Any) -> Any:
    assert _function is not None
    return _function(item)


def _pool(workers: int, backend: Backend, function: Callable[[Any], Any]) -> Any:
    if backend == "processes":
        # Spawned, not forked: a fork of a process that has threads (torch, solvers) may hang.
        return multiprocessing.get_context("spawn").Pool(workers, _start_worker, (function,))
    try:
        from ray.util.multiprocessing import Pool
    except ImportError:
        raise ImportError("the ray backend needs ray: pip install 'skat_env[ray]'") from None
    return Pool(workers, _start_worker, (function,))
