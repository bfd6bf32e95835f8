"""Every text of the pages of reviews and of the shelf has its German and Dutch words."""

import json
import re
from pathlib import Path

import pytest

import agents.table

STATIC = Path(agents.table.__file__).parent / "static"
SCRIPTS = ("review", "shelf", "thoughts", "chart", "page")
SYMBOLS = "«‹›»"


def texts() -> set[str]:
    """The texts in the scripts and the pages."""
    found: set[str] = set()
    for name in SCRIPTS:
        script = (STATIC / f"{name}.js").read_text()
        found |= set(re.findall(r'\bsay\("([^"]+)"\)', script))
        for first, second in re.findall(r'\bsay\([^"]*\? "([^"]+)" : "([^"]+)"\)', script):
            found |= {first, second}
    for name in ("review", "shelf"):
        page = (STATIC / f"{name}.html").read_text()
        body = page[page.index("<body") :]
        found |= {text.strip() for text in re.findall(r">([^<>]+)<", body)}
        found |= set(re.findall(r'(?:aria-label|placeholder)="([^"]+)"', body))
    return {text for text in found if text and text not in SYMBOLS}


@pytest.mark.parametrize("language", ["de", "nl"])
def test_every_text_is_translated(language: str) -> None:
    words = json.loads((STATIC / "words" / f"pages.{language}.json").read_text())
    assert len(texts()) > 80
    assert texts() - words.keys() == set()
    assert all(words.values())


def test_both_languages_have_the_same_texts() -> None:
    german, dutch = (
        json.loads((STATIC / "words" / f"pages.{name}.json").read_text()) for name in ("de", "nl")
    )
    assert german.keys() == dutch.keys()


def test_pages_load_nothing_from_outside() -> None:
    for file in STATIC.glob("*.*"):
        if file.stem in (*SCRIPTS, "pages", "review", "shelf"):
            text = file.read_text().replace("http://www.w3.org/2000/svg", "")
            assert "http:" not in text
            assert "https:" not in text
            assert "innerHTML" not in text
            assert not re.search(r"\bstyle=|onclick=\"|eval\(", text)
