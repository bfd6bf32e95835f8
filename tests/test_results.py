"""Results that are kept can be traced: each names its command and its versions, and the list has them all."""

import json
from pathlib import Path

import pytest

from benchmarks.make.results_index import RESULTS, index_text

FILES = sorted(RESULTS.glob("*.json"))


def test_the_list_is_up_to_date() -> None:
    assert (RESULTS / "README.md").read_text() == index_text(), "run python -m benchmarks.make.results_index"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_results_name_command_versions_and_commit(path: Path) -> None:
    result = json.loads(path.read_text())
    assert result["command"]
    assert result["versions"]
    assert len(result["commit"].removesuffix("+changes")) == 40
