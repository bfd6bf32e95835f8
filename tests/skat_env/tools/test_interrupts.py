"""Ctrl-C that waits, and SIGTERM that does the same."""

import signal
import threading

import pytest

from skat_env.tools.interrupts import interrupts_waiting, terminated_as_interrupted


def test_an_interrupt_waits_for_the_end_of_a_block() -> None:
    done: list[str] = []

    def interrupted() -> None:
        with interrupts_waiting():
            signal.raise_signal(signal.SIGINT)
            with interrupts_waiting():
                done.append("inner")
            done.append("outer")

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert done == ["inner", "outer"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_an_ignored_interrupt_stays_ignored_and_other_threads_may_wait() -> None:
    def wait() -> None:
        with interrupts_waiting():
            done.append(True)

    done: list[bool] = []
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts_waiting():
            signal.raise_signal(signal.SIGINT)
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join()
    finally:
        assert signal.signal(signal.SIGINT, before) is signal.SIG_IGN
    assert done == [True]


def test_sigterm_does_what_ctrl_c_does_while_a_block_runs() -> None:
    done: list[str] = []

    def terminated() -> None:
        with interrupts_waiting():
            signal.raise_signal(signal.SIGTERM)
            with interrupts_waiting():
                done.append("inner")
            done.append("outer")

    with pytest.raises(KeyboardInterrupt), terminated_as_interrupted():
        terminated()
    assert done == ["inner", "outer"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_handler_of_sigterm_stays() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))
    try:
        with terminated_as_interrupted(), interrupts_waiting():
            signal.raise_signal(signal.SIGTERM)
            assert heard == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)
