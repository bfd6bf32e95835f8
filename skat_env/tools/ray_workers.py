"""Independent pieces of work, done by the machines of a ray cluster.

Every piece is a task of ray, which needs one processor and goes to a node that has one free. A piece whose worker or
machine is lost is handed out again: pieces are pure functions. What is left to this module is how many pieces are
handed out at a time, their order, and errors in plain words.
"""

import hashlib
import logging
import os
import re
import socket
import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Final, TypeVar

import ray
from ray.exceptions import (
    LocalRayletDiedError,
    NodeDiedError,
    ObjectLostError,
    OutOfMemoryError,
    RayError,
    RayTaskError,
    WorkerCrashedError,
)

from skat_env._processor import SOURCES
from skat_env.tools.interrupts import interrupts_waiting
from skat_env.tools.pieces import Later, Shared, taken
from skat_env.tools.provenance import count_piece, processor
from skat_env.tools.secret import SECRET, secret

Item = TypeVar("Item")
Result = TypeVar("Result")
Reference = Any
"""A `ray.ObjectRef`; type checks do not need ray."""

AHEAD: Final = 2
"""Pieces per processor that are handed out at a time if all may work: one in hand and the next one."""
KEPT: Final = 16
"""Pieces per worker that are taken at most, in ordered work, while an earlier one is not done: they are kept."""
TRIES: Final = 4
"""How often a piece is handed out whose workers are lost: four in turn are hardly an accident."""
LOOK: Final = 1.0
"""Seconds after which the size of the cluster is looked at again."""
PATIENCE: Final = 10.0
"""Seconds in which a cluster has to answer."""
LOST: Final = (WorkerCrashedError, NodeDiedError, OutOfMemoryError, ObjectLostError, LocalRayletDiedError)
"""What becomes of a piece whose worker or machine is lost."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of work that is handed out."""

    number: int
    """Its place in the order."""
    item: Any
    tries: int = 1
    """How often it was handed out."""


def mapped_by_ray(
    function: Callable[[Item], Result],
    items: Iterable[Item | Later],
    workers: int,
    address: str | None,
    ordered: bool,
) -> Generator[Result, None, None]:
    """Iterates over `function(item)` of every item; closing it ends the pieces in hand.

    Args:
        function: picklable; each worker gets one copy, which may keep caches.
        items: the pieces of work, picklable; taken as they are needed, up to `LATER`.
        workers: how many pieces are in hand at most; 0: as many as the cluster has processors, now and later.
        address: of the cluster, as in `connect`.
        ordered: whether results come in the order of the items, or as they are done.

    Raises:
        ConnectionError: as `connect`.
        ChildProcessError: if a piece has lost `TRIES` workers, or a node has no `skat_env` or another one.
        FileNotFoundError: if a node does not see a file that is there for this process.
    """
    connect(address)
    ray.util.register_serializer(Shared, serializer=_put, deserializer=_got)
    task, package = _task(), package_digest()
    held = ray.put(function)

    room = _Room(workers)
    remaining, numbers = iter(items), count()
    in_hand: dict[Reference, _Piece] = {}
    kept: dict[int, Result] = {}
    turn = 0  # the number of the next result, if they are ordered

    def hand_out(piece: _Piece) -> None:
        with interrupts_waiting():
            # The function is inside a list, so that ray hands on where it lies and not a copy with each piece.
            in_hand[task.remote([held], held.hex(), package, secret(), piece.item)] = piece

    def fill() -> None:
        most = room.pieces()
        free = most - len(in_hand)
        if ordered:
            free = min(free, KEPT * most - len(in_hand) - len(kept))
        for item in taken(remaining, free):
            hand_out(_Piece(next(numbers), item))

    try:
        fill()
        while in_hand:
            for reference in _done(list(in_hand)):
                piece = in_hand[reference]
                try:
                    name, kept[piece.number] = _fetched(reference)
                except LOST as error:
                    if piece.tries == TRIES:
                        raise ChildProcessError(_lost(error)) from None
                    hand_out(replace(piece, tries=piece.tries + 1))
                else:
                    count_piece(name)
                del in_hand[reference]
            while kept and (not ordered or turn in kept):
                result = kept.pop(turn if ordered else next(iter(kept)))
                turn += 1
                fill()  # before whoever takes the result is slow
                yield result
                fill()  # what is known now
            fill()
    finally:
        for reference in in_hand:
            # Without force: of a worker that is killed ray warns on standard output.
            ray.cancel(reference)


class _Room:
    """How many pieces may be in hand; follows the cluster if all of it may work."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._most = workers
        self._looked = -LOOK

    def pieces(self) -> int:
        """The number of pieces that may be in hand now, at least one."""
        if not self._workers and time.monotonic() >= self._looked + LOOK:
            resources: Callable[[], dict[str, float]] = ray.cluster_resources
            self._most = AHEAD * max(1, int(resources().get("CPU", 0)))
            self._looked = time.monotonic()
        return self._most


def _done(references: list[Reference]) -> list[Reference]:
    """The pieces that are done, once one is or after `LOOK` seconds."""
    if not ray.wait(references, timeout=LOOK)[0]:
        return []
    done: list[Reference] = ray.wait(references, num_returns=len(references), timeout=0)[0]
    return done


def _fetched(reference: Reference) -> tuple[str, Any]:
    """The processor that did a piece, and the result; raises the piece's own error, and those of `LOST`."""
    try:
        fetched: tuple[str, Any] = ray.get(reference)
    except RayTaskError as error:
        raise _explained(error) from error
    except LOST:
        raise
    except RayError as error:
        raise ChildProcessError(f"ray cannot do a piece of work: {_first_line(error)}") from None
    return fetched


def _explained(error: RayTaskError) -> BaseException:
    """The error of a piece itself; in plain words where the node is at fault, and not the piece."""
    cause: BaseException = error.cause
    found = re.search(r"\bip=([^,)\s]+)", str(error))
    node = f"the node {found[1]}" if found else "a node"
    if isinstance(cause, RuntimeError) and "failed to import on the worker" in str(cause):
        return ChildProcessError(f"{node} cannot import skat_env: install the same package on every node")
    if isinstance(cause, _OtherPackage):
        return ChildProcessError(
            f"{node} has another skat_env than this process: install the same package on every node"
        )
    missing = getattr(cause, "filename", None)
    if isinstance(cause, FileNotFoundError) and isinstance(missing, str) and Path(missing).exists():
        return FileNotFoundError(
            f"{node} does not see {missing}, which is there on this machine: put it on a disk that all "
            "nodes share"
        )
    return cause


def _lost(error: RayError) -> str:
    """What to say of a piece that has lost too many workers."""
    if isinstance(error, OutOfMemoryError):
        return (
            f"a piece of work ran out of memory {TRIES} times: give the nodes more, or fewer processors each"
        )
    return f"a piece of work has lost {TRIES} workers in turn: {_first_line(error)}"


def _first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0]


# --- the cluster ---


def connect(address: str | None = None) -> None:
    """Connects this process to a ray cluster, for as long as it runs; one that is connected stays where it is.

    Args:
        address: HOST:PORT of the cluster's head; `auto`, one that runs on this machine; `local`, a new one on this
            machine that ends with this process; None: RAY_ADDRESS, else `auto` if there is one, else `local`.

    Raises:
        ConnectionError: if there is no cluster, or one of another version of ray or of Python.
        ValueError: if the address is malformed.
    """
    if ray.is_initialized():
        return
    wanted = address or os.environ.get("RAY_ADDRESS")
    if wanted not in (None, "auto", "local"):
        _require_answer(wanted)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody is asked, so nothing is reported
    # What ray and the workers log would break the one sentence that an error is; it stays in ray's own files.
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        with interrupts_waiting():
            ray.init(address, include_dashboard=False, **quiet)
    except ConnectionError:
        raise ConnectionError(f"no ray cluster at {wanted}: start one with `ray start --head`") from None
    except RayError as error:
        raise ConnectionError(f"the ray cluster does not let this process in: {_first_line(error)}") from None
    except RuntimeError as error:
        if "Version mismatch" not in str(error):
            raise
        rays, pythons = (re.findall(rf"{name}: (\S+)", str(error)) for name in ("Ray", "Python"))
        raise ConnectionError(
            f"the ray cluster has ray {rays[0]} and Python {pythons[0]}, this process ray {rays[1]} and Python "
            f"{pythons[1]}: install the same on every node"
        ) from None


def _require_answer(address: str) -> None:
    """Raises an error unless something answers at an address: ray itself tries for minutes."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or "//" in host or not 0 < int(port) < 65536:
        raise ValueError(
            f"the ray address '{address}' is malformed: expected HOST:PORT of the head, or auto or local"
        )
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE).close()
    except OSError as error:
        raise ConnectionError(f"no ray cluster at {address}: {error.strerror or error}") from None


# --- in the worker ---


class _OtherPackage(Exception):
    """The worker has another `skat_env` than the process whose pieces it does."""


@cache
def _task() -> Any:
    """What a worker does, as ray has it; without ray's own retries, which have no end where memory ran out."""
    return ray.remote(num_cpus=1, max_retries=0)(_work)


_kept: tuple[str, Callable[[Any], Any]] | None = None
"""The function of this worker, with ray's id of it."""


def _work(held: list[Reference], key: str, package: str, word: str, item: Any) -> tuple[str, Any]:
    """The name of this machine's processor, and what the function makes of an item."""
    global _kept
    if _kept is None or _kept[0] != key:
        _kept = None  # two may not fit into memory
        if package_digest() != package:
            raise _OtherPackage
        os.environ[SECRET] = word
        _kept = (key, ray.get(held[0]))
    return processor(), _kept[1](item)


def _put(shared: Shared[Any]) -> Reference:
    """Where ray has a shared value: one copy per node."""
    if shared.reference is None:
        shared.reference = ray.put(shared.value)
    return shared.reference


def _got(reference: Reference) -> Shared[Any]:
    """A shared value at a worker."""
    return Shared(ray.get(reference))


@cache
def package_digest() -> str:
    """A digest of what decides results: Python files, the sources that extensions were compiled from, and weights.

    Of weights it has the checksums in their `checkpoint.json`, with which files are compared when they are loaded.
    """
    root, digest = Path(__file__).parents[1], hashlib.sha256()
    # In a checkout some packages are links, in a wheel they are folders.
    folders = os.walk(root, followlinks=True)
    for path in sorted(Path(folder, name) for folder, _, names in folders for name in names):
        if path.suffix == ".py" or path.name == "checkpoint.json":
            digest.update(b"%b\0%b\0" % (bytes(path.relative_to(root)), path.read_bytes()))
    digest.update(SOURCES.encode())
    return digest.hexdigest()
