"""Solvers beside what interrupts them: signals, and processes forked while another thread solves."""

import os
import signal
import threading
import time
from dataclasses import replace
from types import FrameType

import pytest

from tests.helpers.alarms import interrupts
from tests.helpers.solver_cases import Case, both_games


@both_games
def test_signals_are_heard_between_positions(case: Case) -> None:
    """A batch on one thread lets handlers run while it is solved, and ends with the first error of one."""
    heard: list[int] = []

    def hear(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        if len(heard) == 3:
            raise KeyboardInterrupt

    positions = case.deals() * 200
    before = signal.signal(signal.SIGALRM, hear)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        with pytest.raises(KeyboardInterrupt):
            case.package.Solver().solve_many(positions, case.exact[0])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(heard) == 3


@both_games
def test_threads_end_after_two_interrupts(case: Case) -> None:
    """The same solver then answers like a fresh one: no thread is left that writes to its tables."""
    solver, positions = case.package.Solver(), case.deals()
    expected = case.package.Solver().solve_many(positions, case.exact[0])
    longer = replace(case.exact[-1], actions=True, line=True)
    for _ in range(10):
        with pytest.raises(KeyboardInterrupt), interrupts(0.05, count=2):
            solver.solve_many(positions * 1000, longer, threads=3)
        assert solver.solve_many(positions, case.exact[0], threads=3) == expected


@both_games
def test_a_child_forked_while_another_thread_solves_can_solve(case: Case) -> None:
    solver, (position, *_) = case.package.Solver(), case.deals()
    expected = solver.solve(position, case.exact[0])
    stopped = threading.Event()

    def solve_on() -> None:
        while not stopped.is_set():
            solver.solve_many([position] * 20, case.exact[0])

    thread = threading.Thread(target=solve_on)
    thread.start()
    try:
        for _ in range(5):
            time.sleep(0.05)
            child = os.fork()
            if not child:
                os._exit(solver.solve_many([position] * 2, case.exact[0], threads=2) != [expected] * 2)
            assert exit_status(child) == 0
    finally:
        stopped.set()
        thread.join()


def exit_status(child: int) -> int:
    """The exit status of a child, which is killed if it seems to wait for ever."""
    for _ in range(3000):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")
