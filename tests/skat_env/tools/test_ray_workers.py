"""Workers on a ray cluster: the results of one process, whatever becomes of workers and nodes, and errors in one sentence.

The cluster is of two nodes on this machine, of one processor each.
"""

import errno
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from skat_env.errors import ParseError
from skat_env.tools.workers import Workers, map_ordered, map_unordered
from tests.conftest import ROOT
from tests.helpers.processes import children_of, seconds_to_end

ray = pytest.importorskip("ray", reason="needs the extra 'ray'")

from ray.cluster_utils import Cluster  # noqa: E402

from skat_env.tools.ray_workers import KEPT, TRIES, _lost  # noqa: E402
from tests.conftest import PATIENCE  # noqa: E402
from tests.helpers.ray_cluster import CODE, command  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.fixture
def workers(cluster: Cluster) -> Workers:
    return Workers(2, "ray", cluster.address)


def wait_until(path: Path) -> None:
    began = time.monotonic()
    while not path.exists():
        assert time.monotonic() - began < PATIENCE, f"{path} is not made"
        time.sleep(0.02)


def squared(number: int) -> int:
    time.sleep(max(0.0, 0.05 - number / 100))
    return number * number


def refusing(number: int) -> int:
    if number == 3:
        raise ParseError("three is too much")
    return number


def dying(folder: Path, number: int) -> int:
    """Kills its worker the first time that five is its number."""
    if number == 5 and not (folder / "died").exists():
        (folder / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def always_dying(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def waiting_for_others(folder: Path, count: int, number: int) -> int:
    """Piece 0 ends after all others."""
    if number == 0:
        for other in range(1, count):
            wait_until(folder / str(other))
    (folder / str(number)).touch()
    return number


def waiting_for_company(folder: Path, company: int) -> str:
    """Ends when there are as many workers at a time."""
    (folder / f"worker-{os.getpid()}").touch()
    began = time.monotonic()
    while len(list(folder.glob("worker-*"))) < company:
        assert time.monotonic() - began < PATIENCE, "the others do not come"
        time.sleep(0.02)
    return str(ray.get_runtime_context().get_node_id())


def blind(path: Path, number: int) -> int:
    """As on a node that has no such file."""
    raise FileNotFoundError(errno.ENOENT, "No such file or directory", str(path))


class Counting:
    """A function that keeps something, as those with caches do."""

    def __init__(self) -> None:
        self.copies = 0

    def __setstate__(self, state: dict[str, int]) -> None:
        self.copies = state["copies"] + 1

    def __call__(self, number: int) -> tuple[int, int, int]:
        return os.getpid(), id(self), self.copies


# --- pieces ---


def test_results_are_those_of_one_process(workers: Workers) -> None:
    expected = [number * number for number in range(12)]
    assert list(map_ordered(squared, range(12), workers)) == expected
    assert sorted(map_unordered(squared, range(12), workers)) == expected
    assert list(map_ordered(squared, [], workers)) == []


def test_few_items_are_taken_ahead(workers: Workers) -> None:
    taken: list[int] = []

    def endless() -> Iterator[int]:
        while True:
            taken.append(len(taken))
            yield taken[-1]

    results = map_unordered(squared, endless(), workers)
    assert len([next(results) for _ in range(3)]) == 3
    assert len(taken) <= 3 + 2 * workers.workers
    results.close()


def test_each_worker_gets_the_function_once(workers: Workers) -> None:
    copies = set(map_unordered(Counting(), range(40), workers))
    assert {count for *_, count in copies} == {1}
    assert len(copies) == len({process for process, *_ in copies})


def test_errors_of_pieces_are_raised_as_themselves(workers: Workers) -> None:
    with pytest.raises(ParseError) as raised:
        list(map_ordered(refusing, range(9), workers))
    assert type(raised.value) is ParseError
    assert str(raised.value) == "three is too much"


def test_a_piece_whose_worker_is_killed_is_done_again(workers: Workers, tmp_path: Path) -> None:
    assert list(map_ordered(partial(dying, tmp_path), range(9), workers)) == list(range(9))
    assert (tmp_path / "died").exists()


def test_a_piece_that_kills_every_worker_is_given_up(workers: Workers) -> None:
    with pytest.raises(ChildProcessError, match=f"a piece of work has lost {TRIES} workers in turn: "):
        list(map_unordered(always_dying, [1], workers))


@pytest.mark.parametrize("mapped", [map_ordered, map_unordered])
def test_a_slow_piece_holds_up_no_other(mapped: Any, workers: Workers, tmp_path: Path) -> None:
    count = KEPT * workers.workers
    done = list(mapped(partial(waiting_for_others, tmp_path, count), range(count), workers))
    assert sorted(done) == list(range(count))
    assert done == sorted(done) if mapped is map_ordered else done[-1] == 0


def test_a_node_that_comes_later_works_too(cluster: Cluster, tmp_path: Path) -> None:
    mapped = map_unordered(
        partial(waiting_for_company, tmp_path), [1, *[3] * 5], Workers(0, "ray", cluster.address)
    )
    next(mapped)  # what comes behind it is handed out
    node = cluster.add_node(num_cpus=1)
    try:
        assert node.node_id in set(mapped)
    finally:
        cluster.remove_node(node)


# --- commands ---

MATCH = ["match", "--agents", "pimc(worlds=2, bidder=rule)", "rule", "--deals", "40", "--seed", "5"]
GENERATE = [
    "generate",
    "--agents",
    "rule",
    "random",
    "--deals",
    "60",
    "--games-per-shard",
    "10",
    "--seed",
    "5",
]


@pytest.fixture(scope="module")
def plain_match(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The games of the match as one process plays them."""
    out = tmp_path_factory.mktemp("plain") / "match"
    assert command(*MATCH, "--out", str(out)).returncode == 0
    return out / "games.jsonl"


def on_ray(cluster: Cluster, out: Path, workers: int = 2) -> list[str]:
    return ["--backend", "ray", "--address", cluster.address, "--workers", str(workers), "--out", str(out)]


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_a_match_loses_nothing_with_a_node(cluster: Cluster, plain_match: Path, tmp_path: Path) -> None:
    out = tmp_path / "match"
    node = cluster.add_node(num_cpus=1)
    with subprocess.Popen(
        [sys.executable, "-c", CODE, *MATCH, *on_ray(cluster, out, 3)], stderr=subprocess.PIPE, text=True
    ) as process:
        began = time.monotonic()
        while lines(out / "journal.jsonl") < 20 and process.poll() is None:
            assert time.monotonic() - began < PATIENCE
            time.sleep(0.02)
        cluster.remove_node(node, allow_graceful=False)
        assert not (out / "result.json").exists()  # it was killed while the match ran
        assert process.wait(timeout=3 * PATIENCE) == 0, process.stderr
    assert (out / "games.jsonl").read_bytes() == plain_match.read_bytes()


def test_an_interrupted_match_goes_on_with_any_workers(
    cluster: Cluster, plain_match: Path, tmp_path: Path
) -> None:
    out = tmp_path / "match"
    words = [sys.executable, "-c", CODE, *MATCH, *on_ray(cluster, out)]
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        while lines(out / "journal.jsonl") < 20:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        printed, told = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130, told
    assert told.startswith("stopped after")
    assert told.count("\n") == 1
    assert printed == ""
    assert command(*MATCH, "--out", str(out)).returncode == 0
    assert (out / "games.jsonl").read_bytes() == plain_match.read_bytes()


def test_generated_files_are_those_of_one_process(cluster: Cluster, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "ray"
    assert command(*GENERATE, "--out", str(one)).returncode == 0
    assert command(*GENERATE, *on_ray(cluster, other, 0)).returncode == 0
    shards = sorted(path.name for path in one.glob("*.shard"))
    assert len(shards) == 6
    for shard in shards:
        assert (one / shard).read_bytes() == (other / shard).read_bytes()


def test_a_killed_command_takes_its_workers_along(tmp_path: Path) -> None:
    """On a cluster of its own, of which only ray's agents go on for a minute."""
    words = ["match", "--agents", "rule", "random", "--deals", "100000", "--workers", "2"]
    out = tmp_path / "match"
    options = ["--backend", "ray", "--address", "local", "--out", str(out)]
    with subprocess.Popen(
        [sys.executable, "-c", CODE, *words, *options], env=os.environ | {"PYTHONPATH": str(ROOT)}
    ) as process:
        while lines(out / "journal.jsonl") < 20:
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGSTOP)
        started = {child: Path(f"/proc/{child}/cmdline").read_bytes() for child in children_of(process.pid)}
        process.send_signal(signal.SIGKILL)
    workers = [child for child, name in started.items() if name.startswith((b"ray::_work", b"ray::IDLE"))]
    assert workers
    seconds_to_end(workers, PATIENCE)


# --- bad input ---


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("127.0.0.1:9", "no ray cluster at 127.0.0.1:9: Connection refused"),
        ("nowhere.invalid:6379", "no ray cluster at nowhere.invalid:6379: "),
        (
            "nowhere",
            "the ray address 'nowhere' is malformed: expected HOST:PORT of the head, or auto or local",
        ),
        ("ray://10.0.0.1:10001", "the ray address 'ray://10.0.0.1:10001' is malformed: expected HOST:PORT"),
    ],
)
def test_an_address_without_a_cluster(address: str, told: str, tmp_path: Path) -> None:
    out = tmp_path / "match"
    done = command(*MATCH, "--backend", "ray", "--address", address, "--out", str(out))
    assert done.returncode == 2
    assert done.stderr.startswith(f"skat-env: {told}")
    assert done.stderr.count("\n") == 1
    assert not (out / "match.json").exists()


def test_another_version_of_ray(cluster: Cluster) -> None:
    code = f"import ray; ray.__version__ = '2.0.0'; {CODE}"
    done = subprocess.run(
        [sys.executable, "-c", code, *MATCH, "--backend", "ray", "--address", cluster.address],
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,
    )
    assert done.returncode == 2
    python = ".".join(map(str, sys.version_info[:3]))
    assert done.stderr == (
        f"skat-env: the ray cluster has ray {ray.__version__} and Python {python}, this process ray 2.0.0 and Python "
        f"{python}: install the same on every node\n"
    )


ON_THE_OTHER = f"""
import ray
from skat_env.tools import ray_workers
there = ray.remote(num_cpus=1, max_retries=0, resources={{"other": 1}})(ray_workers._work)
ray_workers._task = lambda: there
{CODE}
"""
"""The command, of which a node with `other` does the pieces."""


@pytest.mark.parametrize(
    ("file", "addition", "told"),
    [
        ("errors.py", "# changed", "has another skat_env than this process"),
        ("__init__.py", "raise ImportError", "cannot import skat_env"),
        # Other weights have other checksums there.
        ("agents/weights/skat-policy/checkpoint.json", " ", "has another skat_env than this process"),
    ],
)
def test_another_package_on_a_node(
    file: str, addition: str, told: str, cluster: Cluster, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    for package in ("skat_env", "solvers", "agents"):
        shutil.copytree(ROOT / package, tmp_path / package, copy_function=os.symlink)
    changed = tmp_path / "skat_env" / file
    text = changed.read_text()
    changed.unlink()
    changed.write_text(f"{text}\n{addition}\n")
    node = cluster.add_node(num_cpus=1, resources={"other": 1}, env_vars={"PYTHONPATH": str(tmp_path)})
    try:
        done = subprocess.run(
            [sys.executable, "-c", ON_THE_OTHER, *MATCH, "--backend", "ray", "--address", cluster.address],
            cwd=tmp_path / "elsewhere",
            capture_output=True,
            text=True,
            timeout=4 * PATIENCE,
        )
    finally:
        cluster.remove_node(node)
    assert done.returncode == 2
    assert done.stderr.startswith("skat-env: the node ")
    assert done.stderr.endswith(f" {told}: install the same package on every node\n")
    assert done.stderr.count("\n") == 1


def test_a_file_that_a_node_does_not_see(workers: Workers, tmp_path: Path) -> None:
    (tmp_path / "weights").touch()
    with pytest.raises(FileNotFoundError) as raised:
        list(map_ordered(partial(blind, tmp_path / "weights"), [1], workers))
    assert str(raised.value).endswith(
        f"does not see {tmp_path / 'weights'}, which is there on this machine: put it on a disk that all nodes share"
    )


def test_a_piece_that_needs_more_memory_than_there_is() -> None:
    assert _lost(ray.exceptions.OutOfMemoryError("killed")) == (
        f"a piece of work ran out of memory {TRIES} times: give the nodes more, or fewer processors each"
    )
