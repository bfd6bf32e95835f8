"""The form of the pages: length, width, a sentence a line, and links that lead somewhere."""

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.helpers.pages import PAGES, lines, name_of, prose

README_LINES = 100
WIDTH = 120
LINK = re.compile(r"\]\(([^)\s]+)\)")
SENTENCE_END = re.compile(r"[a-z0-9)`\]%*][.!?] +[A-Z`\[*]")
NOT_AN_END = re.compile(r"^ *\d+\. |\b(?:eq|eqs|fig|cf|vs)\. ")
"""The number of an item in a list, and abbreviations."""


def too_wide(text: str) -> list[int]:
    """The numbers of the lines of prose that are too wide, the targets of links not counted."""
    return [
        line.number
        for line in prose(text)
        if len(re.sub(r"https?://\S+", "", LINK.sub("]", line.text))) > WIDTH
    ]


def crowded(text: str) -> list[int]:
    """The numbers of the lines of prose in which a sentence begins after another one has ended."""
    return [line.number for line in prose(text) if SENTENCE_END.search(NOT_AN_END.sub("", line.text))]


def anchors(text: str) -> set[str]:
    """The names by which GitHub lets links point to the headings of a page."""
    headings = [
        line.text.lstrip("#").strip()
        for line in lines(text)
        if line.language is None and line.text.startswith("#")
    ]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(text: str, page: Path) -> list[str]:
    """The relative links and images of a page that lead nowhere."""
    broken = []
    for line in lines(text):
        for target in LINK.findall(line.text) if line.language is None else ():
            path, _, anchor = target.partition("#")
            if target.startswith(("http://", "https://")):
                continue
            file = page if not path else (page.parent / path).resolve()
            if not file.exists() or (anchor and anchor not in anchors(file.read_text())):
                broken.append(target)
    return broken


@pytest.mark.parametrize("page", PAGES, ids=name_of)
class TestPage:
    def test_lines_are_not_too_wide(self, page: Path) -> None:
        assert too_wide(page.read_text()) == []

    def test_lines_end_where_sentences_end(self, page: Path) -> None:
        assert crowded(page.read_text()) == []

    def test_links_lead_somewhere(self, page: Path) -> None:
        assert broken_links(page.read_text(), page) == []

    def test_readers_need_no_folder_beside_the_checkout(self, page: Path) -> None:
        assert "../shared" not in page.read_text()

    def test_fences_are_closed(self, page: Path) -> None:
        assert len(re.findall(r"^```", page.read_text(), flags=re.MULTILINE)) % 2 == 0


def test_the_readme_is_one_page() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= README_LINES


def links_of(page: Path) -> set[Path]:
    """The files to which a page links."""
    targets = (target.partition("#")[0] for target in LINK.findall(page.read_text()))
    return {(page.parent / target).resolve() for target in targets if target and "://" not in target}


@pytest.mark.parametrize("page", PAGES[1:], ids=name_of)
def test_every_page_is_reached(page: Path) -> None:
    """By the README, or by the page that is about its folder."""
    folder = page.parent
    abouts = (ROOT / "README.md", folder.with_suffix(".md"), folder / "index.md")
    assert any(page in links_of(about) for about in abouts if about.is_file())


def test_bad_pages_are_found() -> None:
    page = ROOT / "docs" / "architecture.md"
    assert too_wide("short\n\n" + "x" * 121) == [3]
    assert too_wide("| " + "x" * 121 + "\n```sh\n" + "x" * 121 + "\n```\n[text](" + "x" * 121 + ")") == []
    assert crowded(
        "One. Two\nof `this`. `That`\nas in eq. 3 of Solinas 2019\nVersion 1.2 is. it\n1. Item"
    ) == [1, 2]
    assert broken_links("[a](nowhere.md) [b](#none) [c](matches.md#none) [d](matches.md#modes)", page) == [
        "nowhere.md",
        "#none",
        "matches.md#none",
    ]
