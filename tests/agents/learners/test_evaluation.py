"""Evaluation matches of training: whoever plays them, the run leaves the same."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="networks need the extra 'learn'")

import msgspec

from tests.helpers.tiny_runs import generate_data, left, tiny_config, train

SHORT: dict[str, dict[str, Any]] = {
    "selfplay": {"cycles": 1},
    "dmc": {"games": 8, "deals": 3},
    "ppo": {"games": 8, "warm_up": 0, "deals": 3},
    "expert": {"iterations": 1},
    "sb3": {"steps": 32},
}
"""What shortens the learners that play evaluation matches, or makes them play some."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    generate_data(folder)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("learner", SHORT)
def test_workers_leave_what_one_process_does(learner: str, data: Path, tmp_path: Path) -> None:
    if learner == "sb3":
        pytest.importorskip("sb3_contrib", reason="needs the extra 'learn'")
    config = msgspec.structs.replace(tiny_config(learner, data), **SHORT[learner])
    for workers in (1, 2):
        train(learner, config, tmp_path / str(workers), workers)
    assert left(tmp_path / "1") == left(tmp_path / "2")
