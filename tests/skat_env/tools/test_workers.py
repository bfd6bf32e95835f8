"""Workers: the same results with any number of them, their errors, and that they end with who started them."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from skat_env.tools.worker_pool import AHEAD, WorkerPool, result_of
from skat_env.tools.workers import Workers, map_ordered, map_unordered, processors
from tests.conftest import ROOT
from tests.helpers.processes import children_of, kill_while_working, seconds_to_end


def squared(number: int) -> int:
    """A piece of work that takes longer the smaller its number is."""
    time.sleep(max(0.0, 0.05 - number / 100))
    return number * number


def refusing(number: int) -> int:
    if number == 3:
        raise ValueError("three is too much")
    return number


def dying(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def sleeping(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2, 3])
def test_any_number_of_workers_gives_the_same(workers: int) -> None:
    expected = [number * number for number in range(20)]
    assert list(map_ordered(squared, range(20), workers)) == expected
    assert sorted(map_unordered(squared, range(20), workers)) == expected
    assert list(map_ordered(squared, [], workers)) == []


@pytest.mark.slow
def test_few_items_are_taken_ahead() -> None:
    taken = []

    def items():
        for number in range(50):
            taken.append(number)
            yield number

    results = map_ordered(squared, items(), 2)
    assert [next(results) for _ in range(3)] == [0, 1, 4]
    assert len(taken) <= 3 + AHEAD * 2
    results.close()


@pytest.mark.slow
def test_errors_of_workers_are_raised() -> None:
    with pytest.raises(ValueError, match="three is too much"):
        list(map_ordered(refusing, range(9), 2))
    with pytest.raises(ChildProcessError, match="a worker process was killed"):
        list(map_unordered(dying, range(9), 2))


@pytest.mark.slow
def test_what_no_worker_can_import_is_said() -> None:
    script = "from skat_env.tools.workers import map_ordered\ndef made(number): pass\n"
    command = [sys.executable, "-c", f"{script}list(map_ordered(made, range(9), 2))"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert "ChildProcessError: a worker process could not start: what it is given" in done.stderr
    assert "was killed" not in done.stderr


@pytest.mark.parametrize(
    ("workers", "told"),
    [
        (-1, "-1 workers: expected at least 1 and at most 10,000, or 0 for all there are"),
        (Workers(True), "True workers: expected"),
        (Workers(1, "threads"), "unknown backend 'threads': known are processes, ray"),  # type: ignore[arg-type]
        (Workers(1, address="auto"), "--address auto is of a ray cluster: it needs --backend ray"),
    ],
)
def test_what_cannot_be_workers_is_refused(workers: Workers | int, told: str) -> None:
    with pytest.raises(ValueError, match=f"^{told}"):
        map_ordered(squared, range(3), workers)


@pytest.mark.slow
def test_all_processors_of_this_machine_work() -> None:
    workers = set(map_unordered(sleeping, [0.2] * 4 * processors(), Workers(0)))
    assert len(workers) <= processors()
    assert processors() == 1 or os.getpid() not in workers


def blocked(_: int) -> bool:
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_workers_hear_no_interrupt_from_their_start() -> None:
    with WorkerPool(blocked, 1) as pool:
        assert result_of(pool.submit(0))
    assert not blocked(0)


def test_an_interrupt_waits_until_a_worker_has_started(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    whole = ProcessPoolExecutor.submit

    def interrupted(self: ProcessPoolExecutor, *arguments: Any) -> Any:
        # As if another thread had got it, which does not block it.
        thread = threading.Thread(target=lambda: os.kill(os.getpid(), signal.SIGINT))
        thread.start()
        thread.join()
        future = whole(self, *arguments)
        done.append("started")
        return future

    monkeypatch.setattr(ProcessPoolExecutor, "submit", interrupted)
    with pytest.raises(KeyboardInterrupt), WorkerPool(blocked, 1) as pool:
        pool.submit(0)
    assert done == ["started"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.slow
def test_a_pool_ends_its_workers_whatever_they_do() -> None:
    with WorkerPool(sleeping, 2) as pool:
        first = result_of(pool.submit(0.0))
        pool.submit(60.0)
        workers = [*children_of(os.getpid())]
        assert first in workers
    assert seconds_to_end([first]) < 1


GAMES = ["--game", "klaverjas", "--workers", "2", "--agents"]
DMC = ["lanes=32", "hidden=[8]", "starts=128", "fresh=64", "report_every=100", "deals=0", "threads=2"]
SB3 = ["leg=64", "games=8", "horizon=8", "batch_size=32", "layers=[8]", "starts=16", "evaluation_deals=0"]
COMMANDS: dict[str, tuple[list[str], str]] = {
    "match": (["match", *GAMES, "rule", "random", "--deals", "100000"], "journal.jsonl"),
    "generate": (
        ["generate", *GAMES, "rule", "--deals", "1000000", "--games-per-shard", "50"],
        "00002.shard",
    ),
    "inference": (
        ["inference", "--beliefs", "tables", "--data", "GAMES", "--part", "all", "--workers", "2"],
        "measurements.bin",
    ),
    "train dmc": (
        ["train", "dmc", "--config", str(ROOT / "configs/dmc-klaverjas.toml"), "--set", *DMC],
        "metrics.jsonl",
    ),
    "train sb3": (
        ["train", "sb3", "--config", str(ROOT / "configs/sb3-skat.toml"), "--set", *SB3],
        "checkpoints/000000000128.zip",
    ),
}
"""The words of each command that starts workers (the import has a test of its own), and a file that it makes."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from skat_env.datasets.generation import GenerationConfig, generate

    folder = tmp_path_factory.mktemp("games") / "skat"
    generate(GenerationConfig("skat", ("rule",), 200), folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_workers_end_with_a_killed_command(command: str, recorded: Path, tmp_path: Path) -> None:
    words, made = COMMANDS[command]
    out = tmp_path / "out"
    words = [str(recorded) if word == "GAMES" else word for word in words]
    code = "import sys; from skat_env.cli import main; sys.exit(main(sys.argv[1:]))"
    works: Callable[[], bool] = (out / made).exists
    assert kill_while_working(["-c", code, *words, "--out", str(out)], works, tmp_path / "printed") < 2


MATCH = "from skat_env.match.play import MatchConfig, play_match\nfrom skat_env.match.run import kept_match\n"
CONFIG = "MatchConfig('klaverjas', ('rule', 'random'), 4)"
SCRIPTS = {
    "match": f"{MATCH}list(play_match({CONFIG}, workers=2))",
    "kept match": f"{MATCH}from pathlib import Path\nkept_match(Path('out'), {CONFIG}, workers=2)",
    "generate": "from pathlib import Path\n"
    "from skat_env.datasets.generation import GenerationConfig, generate\n"
    "generate(GenerationConfig('klaverjas', ('rule',), 4), Path('out'), workers=2)",
    "pool": "from skat_env.tools.workers import map_ordered\nlist(map_ordered(abs, [1, 2, 3], 2))",
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name == "pool" else pytest.mark.slow) for name in SCRIPTS]
)
def test_a_script_without_a_guard_is_told_so(name: str, tmp_path: Path) -> None:
    """By the process that it is; the workers, which run it again, say nothing."""
    (tmp_path / "script.py").write_text(SCRIPTS[name] + "\n")
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1
    assert done.stderr.splitlines()[-1].endswith(
        "put what the script does under `if __name__ == '__main__':`"
    )
