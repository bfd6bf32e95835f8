"""Results that are kept can be traced and are used: each names its command and versions, and a page names each."""

import json
import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from benchmarks.make.results_index import RESULTS, index_text
from tests.helpers.pages import PAGES

FILES = sorted(RESULTS.glob("*.json"))
USED_BY_TESTS = ("assumptions", "match_policy_pimc160", "worlds_curve")


def named(text: str) -> set[str]:
    """The results that a page names: by link, by a pattern such as `audit_*.json`, or as a reproduction or output."""
    return set(re.findall(r"results/([\w.*-]+?)(?:\.json|\.png|\.md)?[)`\s]", text)) | set(
        re.findall(r"reproduce ([\w.-]+)", text)
    )


def test_the_list_is_up_to_date() -> None:
    assert (RESULTS / "README.md").read_text() == index_text(), "run python -m benchmarks.make.results_index"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_results_name_command_versions_and_commit(path: Path) -> None:
    result = json.loads(path.read_text())
    assert result["command"]
    assert result["versions"]
    assert len(result["commit"].removesuffix("+changes")) == 40


def test_a_page_names_each_result() -> None:
    names = {name for page in PAGES for name in named(page.read_text())} | set(USED_BY_TESTS)
    assert [path.name for path in FILES if not any(fnmatch(path.stem, name) for name in names)] == []


def test_a_page_shows_each_figure() -> None:
    text = "".join(page.read_text() for page in PAGES)
    assert [path.name for path in RESULTS.glob("*.png") if f"results/{path.name})" not in text] == []
