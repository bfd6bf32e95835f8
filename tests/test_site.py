"""The documentation site builds without a warning, and loads nothing from elsewhere."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType

import pytest

import skat_env
from skat_env.registry import agent_factory, agent_names, game_names
from tests.conftest import ROOT
from tests.helpers.pages import PAGES, blocks

pytest.importorskip("mkdocs", reason="the site needs the extra 'docs'")
pytestmark = pytest.mark.slow

LOADED = re.compile(r'<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)="(https?:)?//', re.IGNORECASE)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    return folder


def test_every_page_is_there(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix("")
        path = site / name.parent if name.name == "index" else site / name
        assert (path / "index.html").is_file(), name


def test_environments_have_their_docstrings(site: Path) -> None:
    assert "thermometer of the highest value" in (site / "environments" / "skat" / "index.html").read_text()
    assert "a run of three cards" in (site / "environments" / "klaverjas" / "index.html").read_text()


def test_compiled_modules_are_documented_by_their_stubs(site: Path) -> None:
    assert "solve_many" in (site / "api" / "solvers" / "index.html").read_text()


def imported_on_pages() -> Iterator[tuple[str, str]]:
    """The names that Python code on pages imports from the package, each with its module."""
    for page in PAGES:
        for block in blocks(page.read_text(), "python"):
            for node in ast.walk(ast.parse(block.code)):
                if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("skat_env."):
                    yield from ((node.module or "", alias.name) for alias in node.names)


def test_what_is_public_is_documented(site: Path) -> None:
    """In its module or in the package that gives it. Constants may be without a docstring, modules have other pages."""
    pages = (site / "api").rglob("*.html")
    anchors = {name for page in pages for name in re.findall(r'id="(skat_env[\w.]*)"', page.read_text())}
    public = {*imported_on_pages(), *(("skat_env", name) for name in skat_env.__all__)}
    found = {getattr(import_module(module), name, None) for module, name in public}
    found |= {agent_factory(name, game) for game in game_names() for name in agent_names(game)}
    missing = {
        f"{value.__module__}.{value.__name__}"
        for value in found
        if isinstance(value, type | FunctionType)
        and f"{value.__module__}.{value.__name__}" not in anchors
        and f"{value.__module__.rpartition('.')[0]}.{value.__name__}" not in anchors
    }
    assert missing == set()


def test_linked_files_of_the_repository_are_there(site: Path) -> None:
    inference = (site / "inference" / "index.html").read_text()
    assert "../benchmarks/results/inference_tssr.png" in inference
    assert (site / "benchmarks" / "results" / "inference_tssr.png").is_file()
    assert (site / "examples" / "own_agent.py").is_file()


def test_notebooks_are_pages_with_their_pictures(site: Path) -> None:
    for notebook in (ROOT / "docs" / "notebooks").glob("*.ipynb"):
        page = site / "notebooks" / notebook.stem / "index.html"
        assert page.is_file(), notebook
        pictures = re.findall(r'<img[^>]* src="([^"]+)"', page.read_text())
        assert all((page.parent / picture).resolve().is_file() for picture in pictures)
        assert bool(pictures) == ("image/svg+xml" in notebook.read_text())


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert [line for line in page.read_text().splitlines() if LOADED.search(line)] == [], page
