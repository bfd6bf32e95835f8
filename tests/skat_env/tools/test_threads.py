"""Threads that have all ended when a call ends."""

import threading
import time

import pytest

from skat_env.tools import _threads
from skat_env.tools._threads import run_threads
from tests.helpers.alarms import interrupts


def test_each_thread_has_its_arguments() -> None:
    done: list[tuple[int, int]] = []
    run_threads(lambda *each: done.append((*each, threading.get_ident())), [(1,), (2,)], lambda: None)
    assert sorted(number for number, _ in done) == [1, 2]
    assert threading.get_ident() not in {thread for _, thread in done}


def test_all_threads_have_ended_after_two_interrupts() -> None:
    halted, ended = threading.Event(), list[int]()

    def work(number: int) -> None:
        halted.wait()
        time.sleep(0.2)
        ended.append(number)

    with pytest.raises(KeyboardInterrupt), interrupts(0.05, count=2) as heard:
        run_threads(work, [(number,) for number in range(3)], halted.set)
    assert len(heard) == 2
    assert sorted(ended) == [0, 1, 2]


def test_an_error_of_a_thread_is_raised_when_all_have_ended() -> None:
    ended: list[int] = []

    def work(number: int) -> None:
        if not number:
            raise ValueError("the first")
        time.sleep(0.1)
        ended.append(number)

    with pytest.raises(ValueError, match="the first"):
        run_threads(work, [(0,), (1,)], lambda: None)
    assert ended == [1]


def test_threads_that_run_end_where_no_more_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    halted, ended = threading.Event(), list[int]()
    start, left = _threads.start_new_thread, [True]  # type: ignore[attr-defined]

    def start_one(*arguments: object) -> int:
        if not left:
            raise RuntimeError("can't start new thread")
        left.pop()
        return int(start(*arguments))

    def work(number: int) -> None:
        halted.wait()
        ended.append(number)

    monkeypatch.setattr(_threads, "start_new_thread", start_one)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        run_threads(work, [(0,), (1,)], halted.set)
    assert ended == [0]
