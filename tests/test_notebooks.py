"""The notebooks run, and print what is committed.

Cells with the tag `varies` run too, but what they print hangs on the machine: times, and the last bits of a training.
"""

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

nbclient = pytest.importorskip("nbclient", reason="notebooks need the extra 'dev'")
nbformat = pytest.importorskip("nbformat", reason="notebooks need the extra 'dev'")
pytestmark = pytest.mark.slow

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
NEEDED = {"beat_rule": ("torch",)}
"""The libraries that a notebook needs besides."""
MOST_BYTES = 150_000
"""What a notebook takes with its outputs."""


def printed(cell: Any) -> str:
    """The text that a cell has printed, and the text of its value."""
    texts = [
        output["text"] if output["output_type"] == "stream" else output["data"].get("text/plain", "")
        for output in cell["outputs"]
        if output.get("name") != "stderr"
    ]
    return "".join(texts)


def varies(cell: Any) -> bool:
    """Whether the output of a cell hangs on the machine."""
    return "varies" in cell["metadata"].get("tags", ())


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_is_committed(path: Path) -> None:
    for library in NEEDED.get(path.stem, ()):
        pytest.importorskip(library)
    committed = nbformat.read(path, as_version=4)
    run = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(run, timeout=600, kernel_name="python3").execute()
    compared = 0
    for before, after in zip(committed["cells"], run["cells"], strict=True):
        if before["cell_type"] == "code" and not varies(before):
            assert printed(after) == printed(before), before["source"]
            compared += bool(printed(before))
    assert compared > 0


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small_and_has_run(path: Path) -> None:
    assert path.stat().st_size < MOST_BYTES
    cells = nbformat.read(path, as_version=4)["cells"]
    assert [
        cell["source"] for cell in cells if cell["cell_type"] == "code" and not cell["execution_count"]
    ] == []
    assert all(output["output_type"] != "error" for cell in cells for output in cell.get("outputs", ()))
