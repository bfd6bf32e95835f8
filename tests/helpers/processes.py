"""Processes that a test has started, and those that these have."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.conftest import ROOT


def children_of(process: int) -> list[int]:
    """The processes that a process has started, and those that these have."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process:
            found += [int(stat.parent.name), *children_of(int(stat.parent.name))]
    return found


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def seconds_to_end(processes: Sequence[int], patience: float = 10.0) -> float:
    """How long it takes until none of some processes is alive."""
    began = time.monotonic()
    while any(map(is_alive, processes)):
        assert time.monotonic() - began < patience, "a worker outlives the process that started it"
        time.sleep(0.02)
    return time.monotonic() - began


def kill_while_working(words: Sequence[str], works: Callable[[], bool], output: Path) -> float:
    """Kills a Python command by SIGKILL; returns the seconds until its workers, two processes or more, have ended.

    Args:
        words: the arguments of Python.
        works: whether the command has begun its work, with all its workers.
        output: a file for what it prints.
    """
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with (
        output.open("w") as file,
        subprocess.Popen([sys.executable, *words], stdout=file, stderr=file, env=environment) as process,
    ):
        try:
            began = time.monotonic()
            while not works():
                assert process.poll() is None, output.read_text()
                assert time.monotonic() - began < 60, "the command does not begin its work"
                time.sleep(0.02)
            workers = children_of(process.pid)
            assert len(workers) >= 2
        finally:
            process.send_signal(signal.SIGKILL)
    return seconds_to_end(workers)
