"""Threads that work for the server. One that does not come back is replaced, so that it blocks nobody."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, Final, TypeVar

TIME_LIMIT: Final = 120.0
"""The seconds that a piece of work may take, unless told otherwise; decisions of our agents take far less."""
GRACE: Final = 5
"""The seconds for which the end of the server waits for work that is not done."""

T = TypeVar("T")


class TooLong(ValueError):
    """Work was given up, as it took too long."""


class _Worker:
    """A thread, which does one thing at a time. It never keeps the program from ending."""

    def __init__(self) -> None:
        self._tasks: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        self.thread = Thread(target=self._run, name="worker of the table", daemon=True)
        self.thread.start()

    def begin(self, task: Callable[[], T]) -> "asyncio.Future[T]":
        """Begins a task; the future has its result."""
        future: Future[T] = Future()
        self._tasks.put((task, future))
        return asyncio.wrap_future(future)

    def end(self) -> None:
        """Ends the thread, after what it does now."""
        self._tasks.put(None)

    def _run(self) -> None:
        while (given := self._tasks.get()) is not None:
            task, future = given
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(task())
                except BaseException as error:
                    future.set_exception(error)
            del given, task, future  # what they hold is not kept until the next task


class Workers:
    """Threads for work beside the event loop.

    Args:
        count: how many things are worked on at the same time; the others wait.
        time_limit: the seconds that one may take.
    """

    def __init__(self, count: int, time_limit: float = TIME_LIMIT) -> None:
        self._free = asyncio.Semaphore(count)
        self._time_limit = time_limit
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()

    async def work(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls a function in a thread; whoever stops waiting leaves it to end by itself.

        Raises:
            TooLong: if it takes longer than the limit, which does not count the wait for a thread.
        """
        async with self._free:
            worker = self._idle.pop() if self._idle else _Worker()
            self._busy.add(worker)
            future = worker.begin(partial(function, *arguments))
            timer = asyncio.get_running_loop().call_later(self._time_limit, future.cancel)
            try:
                return await future
            except asyncio.CancelledError:
                task = asyncio.current_task()
                if task is not None and task.cancelling():
                    raise
                raise TooLong(f"it took longer than {self._time_limit:g} seconds") from None
            finally:
                timer.cancel()
                if future.cancelled():
                    worker.end()
                    self._busy = {each for each in self._busy if each.thread.is_alive()}
                else:
                    self._busy.discard(worker)
                    self._idle.append(worker)

    def close(self) -> None:
        """Ends the threads; those at work get `GRACE` seconds."""
        end = time.monotonic() + GRACE
        for worker in (*self._idle, *self._busy):
            worker.end()
            worker.thread.join(max(0.0, end - time.monotonic()))
