"""Commands and learners on a ray cluster: the bytes of one process, whatever becomes of workers and nodes."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

ray = pytest.importorskip("ray", reason="needs the extra 'ray'")
pytest.importorskip("torch", reason="networks need the extra 'learn'")

import torch  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

from skat_env.agents.learners.ahead import AheadConfig, Piece, PlayedAhead  # noqa: E402
from skat_env.tools.pieces import Shared  # noqa: E402
from skat_env.tools.workers import Workers, map_ordered  # noqa: E402
from tests.conftest import PATIENCE, ROOT  # noqa: E402
from tests.helpers.ray_cluster import CODE, command  # noqa: E402
from tests.helpers.tiny_runs import generate_data, left, tiny_config, train  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.fixture
def workers(cluster: Cluster) -> Workers:
    return Workers(2, "ray", cluster.address)


RECORDS = str(ROOT / "skat_env" / "data" / "skat_games.jsonl")
COMMANDS = {
    "audit": (["audit", "rule", "random", "--players", "rule", "--deals", "4"], "games.jsonl"),
    "ladder": (["ladder", "--agents", "random", "--deals", "2", "--no-plot"], "*/games.jsonl"),
    "inference": (
        [
            "inference",
            "--beliefs",
            "uniform",
            "--data",
            RECORDS,
            "--games",
            "3",
            "--part",
            "all",
            "--no-plot",
        ],
        "result.json",
    ),
    "reproduce": (["reproduce", "rebstock-table-4.3", "--scale", "smoke", "--deals", "2"], "**/games.jsonl"),
}
"""A command each, and the files that it has its results in."""


def results(path: Path) -> str:
    """What a file says, but for what made it and how long decisions took."""
    text = re.sub(r'"(milli)?seconds": ?(\[[^]]*\]|[^,}\n]*)', "", path.read_text())
    return text[text.index('"config"') :] if path.name == "result.json" else text


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_leave_the_bytes_of_one_process(name: str, cluster: Cluster, tmp_path: Path) -> None:
    words, pattern = COMMANDS[name]
    here, there = tmp_path / "here", tmp_path / "there"
    done = [
        command(*words, "--out", str(here)),
        command(
            *words, "--out", str(there), "--backend", "ray", "--address", cluster.address, "--workers", "0"
        ),
    ]
    assert [each.returncode for each in done] == [0, 0], done
    names = sorted(path.relative_to(here) for path in here.glob(pattern))
    assert names
    assert names == sorted(path.relative_to(there) for path in there.glob(pattern))
    for each in names:
        assert results(here / each) == results(there / each) != ""


# --- shared values ---


def summed(item: tuple[Shared[list[int]], int]) -> int:
    return sum(item[0].value) + item[1]


def test_pieces_share_a_value(workers: Workers) -> None:
    first, second = Shared(list(range(1000))), Shared([1])
    items = [(first, 0), (second, 0), (first, 1), (second, 5)]
    assert list(map_ordered(summed, items, workers)) == [499500, 1, 499501, 6]
    assert first.reference is not None
    assert first.reference != second.reference


# --- learning ---


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    generate_data(folder)
    return folder


@pytest.mark.parametrize("learner", ["selfplay", "expert"])
def test_learning_is_that_of_one_process(learner: str, data: Path, workers: Workers, tmp_path: Path) -> None:
    config: Any = msgspec.structs.replace(tiny_config(learner, data), age=1, pieces=2)
    train(learner, config, tmp_path / "here")
    train(learner, config, tmp_path / "there", workers)
    assert left(tmp_path / "here") == left(tmp_path / "there")


def dying(folder: Path, piece: Piece) -> tuple[int, int, float]:
    """Kills its worker in the middle of a run, the first time."""
    if (piece.wave, piece.first) == (3, 1) and not (folder / "died").exists():
        (folder / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return piece.wave, piece.first, piece.weights.value["n"]["x"].item()


def test_a_piece_whose_player_is_killed_is_played_again(workers: Workers, tmp_path: Path) -> None:
    with PlayedAhead(partial(dying, tmp_path), AheadConfig(age=1, pieces=2), 2, 6, workers) as ahead:
        played = [ahead.wave({"n": {"x": torch.tensor(float(wave))}}) for wave in range(6)]
    assert played == [[(wave, game, max(0.0, wave - 1.0)) for game in (0, 1)] for wave in range(6)]
    assert (tmp_path / "died").exists()


TRAIN = ["train", "selfplay", "--config", "selfplay-klaverjas-fast"]
SETTINGS = [
    "cycles=12",
    "rounds=8",
    "simulations=20",
    "positions=36",
    "buffer=5000",
    "evaluate_every=2",
    "evaluation_deals=2",
    "evaluation_simulations=2",
    "age=1",
    "pieces=4",
    "hidden=[16]",
]


def lines(folder: Path) -> int:
    path = folder / "metrics.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_training_loses_nothing_with_a_node_and_with_the_learner(
    cluster: Cluster,
    tmp_path: Path,
) -> None:
    """First a node is killed, then the learner; then one process trains on to the end."""
    words = [*TRAIN, "--set", *SETTINGS]
    assert command(*words, "--out", str(tmp_path / "whole")).returncode == 0
    out = tmp_path / "killed"
    on_ray = ["--backend", "ray", "--address", cluster.address, "--workers", "3", "--out", str(out)]
    node = cluster.add_node(num_cpus=1)
    with subprocess.Popen(
        [sys.executable, "-c", CODE, *words, *on_ray], stderr=subprocess.PIPE, text=True
    ) as process:

        def wait_for(count: int) -> None:
            began = time.monotonic()
            while lines(out) < count:
                assert process.poll() is None, process.stderr
                assert time.monotonic() - began < 2 * PATIENCE
                time.sleep(0.02)

        wait_for(4)
        cluster.remove_node(node, allow_graceful=False)
        wait_for(lines(out) + 4)
        process.send_signal(signal.SIGKILL)
    assert lines(out) < lines(tmp_path / "whole")  # it was killed before its end
    assert command(*words, "--out", str(out)).returncode == 0
    for name in ("state.safetensors", "checkpoint/value.safetensors"):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    figures = [
        [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
        for folder in (out, tmp_path / "whole")
    ]
    assert figures[0] == figures[1]
