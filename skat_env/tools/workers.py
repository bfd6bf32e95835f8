"""Independent pieces of work: done in this process, in several, or on many machines.

A piece must not depend on any other, so that the results are the same with every number of workers.
"""

import os
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Final, Literal, TypeVar, get_args

from skat_env.tools.extras import explained
from skat_env.tools.interrupts import interrupts_waiting
from skat_env.tools.pieces import LATER, Later
from skat_env.tools.worker_pool import end_if_imported_by_worker, mapped_by_processes

Item = TypeVar("Item")
Result = TypeVar("Result")
Backend = Literal["processes", "ray"]
MAX_WORKERS: Final = 10_000


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
    function: Callable[[Item], Result], items: Iterable[Item | Later], workers: Workers | int = 1
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
    function: Callable[[Item], Result], items: Iterable[Item | Later], workers: Workers | int = 1
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


def _mapped(
    function: Callable[[Item], Result], items: Iterable[Item | Later], workers: Workers | int, ordered: bool
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
    return mapped_by_processes(function, items, number, ordered)
