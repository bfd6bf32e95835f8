"""Results that are kept can be traced and are used: each names its command and versions, and a page names each."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import pytest

from benchmarks.make.results_index import RESULTS, index_text
from tests.conftest import ROOT
from tests.helpers.pages import PAGES, name_of

FILES = sorted(RESULTS.glob("*.json"))


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
    names = {name for page in PAGES for name in named(page.read_text())}
    assert [path.name for path in FILES if not any(fnmatch(path.stem, name) for name in names)] == []


def test_a_page_shows_each_figure() -> None:
    text = "".join(page.read_text() for page in PAGES)
    assert [path.name for path in RESULTS.glob("*.png") if f"results/{path.name})" not in text] == []


NUMBER = r"([+-]?\d[\d,]*(?:\.\d+)?)"
INTERVAL = re.compile(rf"{NUMBER}(%?)(?:\*\*)? (?:\[{NUMBER}%?, {NUMBER}%?\]|± {NUMBER})")
TABLE = re.compile(r"((?:^\|.*\n)+)\n(\(\[figures\]\([^|]+?)(?:\n\n|\Z)", re.MULTILINE)
"""A table, and the paragraph after it that says which results have its intervals."""


@dataclass(frozen=True)
class Estimated:
    """What stands beside the ends of an interval in a result: its mean, and other numbers."""

    numbers: list[float]
    low: float
    high: float

    def is_shown(self, mean: str, percent: str, low: str, high: str, half: str) -> bool:
        """Whether a page shows it, rounded, as these texts: both ends, or half the width."""
        unit = 100 if percent else 1
        if not any(is_rounded(mean, unit * number) for number in self.numbers):
            return False
        if half:
            return is_rounded(half, unit * (self.high - self.low) / 2)
        return is_rounded(low, unit * self.low) and is_rounded(high, unit * self.high)


def is_rounded(text: str, number: float) -> bool:
    """Whether a text is a number, rounded."""
    decimals = len(text.partition(".")[2])
    return abs(float(text.replace(",", "")) - number) <= 0.500001 * 10**-decimals


def estimates(result: object) -> Iterator[Estimated]:
    """All intervals of a result."""
    if isinstance(result, dict):
        low, high = result.get("interval") or (result.get("low"), result.get("high"))
        if low is not None and high is not None:
            yield Estimated([each for each in result.values() if isinstance(each, int | float)], low, high)
    for part in result.values() if isinstance(result, dict) else result if isinstance(result, list) else ():
        yield from estimates(part)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_intervals_of_a_table_are_in_its_figures(page: Path) -> None:
    for table, below in TABLE.findall(page.read_text()):
        files = re.findall(r"results/([\w-]+\.json)\)", below)
        known = [each for file in files for each in estimates(json.loads((RESULTS / file).read_text()))]
        assert files
        assert [
            found[0]
            for found in INTERVAL.finditer(table)
            if not any(each.is_shown(*(part or "" for part in found.groups())) for each in known)
        ] == [], files


def intervals(text: str) -> set[str]:
    """The means of a page with their intervals, as it has them, in one cell of a table or two."""
    return {found[0] for found in INTERVAL.finditer(re.sub(r"[\s|]+", " ", re.sub(r"[*+]", "", text)))}


def test_results_are_those_of_the_pages_that_they_link() -> None:
    for row in (ROOT / "docs" / "results.md").read_text().splitlines():
        if page := re.search(r"\]\(([\w./]+\.md)[#)][^|]*\|$", row):
            assert intervals(row) <= intervals((ROOT / "docs" / page[1]).read_text()), row


def test_the_readme_has_rows_of_the_ladders() -> None:
    tables = re.search(r"## Strength\n(.*?)\n## ", (ROOT / "README.md").read_text(), re.DOTALL)
    assert tables
    assert intervals(tables[1]) <= intervals((ROOT / "docs" / "ladder.md").read_text())
