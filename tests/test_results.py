"""Results that are kept can be traced and are used: each names its command and versions, and a page names each."""

import json
import re
from collections.abc import Iterator
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


def groups(result: object) -> Iterator[list[float]]:
    """The numbers that stand together in a result: those of an object, or list, and of what is right in it."""
    if isinstance(result, dict | list):
        parts = list(result.values()) if isinstance(result, dict) else result
        inner = [[*part.values()] if isinstance(part, dict) else part for part in parts]
        flat = [number for part in inner for number in (part if isinstance(part, list) else [part])]
        yield [number for number in flat if isinstance(number, int | float)]
        for part in parts:
            yield from groups(part)


def shown(text: str, number: float) -> bool:
    """Whether a page shows a number, rounded, as this text."""
    decimals = len(text.partition(".")[2])
    return abs(float(text.replace(",", "")) - number) <= 0.500001 * 10**-decimals


def in_group(mean: str, percent: str, low: str, high: str, half: str, group: list[float]) -> bool:
    """Whether numbers that stand together have this mean and this interval, or half of its width."""
    numbers = [number * (100 if percent else 1) for number in group]
    if not any(shown(mean, number) for number in numbers):
        return False
    if not half:
        return all(any(shown(end, number) for number in numbers) for end in (low, high))
    widths = [(right - left) / 2 for left in numbers for right in numbers if right > left]
    return any(shown(half, width) for width in [*numbers, *widths])


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_intervals_of_a_table_are_in_its_figures(page: Path) -> None:
    for table, below in TABLE.findall(page.read_text()):
        files = re.findall(r"results/([\w-]+\.json)\)", below)
        together = [group for file in files for group in groups(json.loads((RESULTS / file).read_text()))]
        assert files
        assert [
            found[0]
            for found in INTERVAL.finditer(table)
            if not any(in_group(*(part or "" for part in found.groups()), group) for group in together)
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
