"""Every text of the pages of reviews and of the shelf has its German and Dutch words."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs the extra 'table'")

import skat_env.table
from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.protocols import CHANCE, Game
from skat_env.records import GameRecord
from skat_env.registry import get_part
from skat_env.skat import GAME as SKAT
from skat_env.solvers.review import review
from skat_env.table.reviews import costs
from tests.conftest import random_games

STATIC = Path(skat_env.table.__file__).parent / "static"
SCRIPTS = ("review", "shelf", "thoughts", "chart", "page")
SYMBOLS = "«‹›»"
LANGUAGES = ("de", "nl")


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


def words(language: str) -> Any:
    return json.loads((STATIC / "words" / f"pages.{language}.json").read_text())


def shared_words(language: str) -> Any:
    """The words of the pages of play, which the other pages know too."""
    return json.loads((STATIC / "words" / f"{language}.json").read_text())


def test_a_text_has_the_same_words_on_all_pages() -> None:
    """But for words that mean something else in a table of results."""
    for language in LANGUAGES:
        both = words(language)["texts"].keys() & shared_words(language).keys()
        assert both <= {"declarer", "points", "to act", "value"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated(language: str) -> None:
    known = words(language)["texts"] | shared_words(language)
    assert len(texts()) > 80
    assert texts() - known.keys() == set()
    assert all(known.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_units_of_values_are_translated(language: str) -> None:
    known = words(language)["texts"] | words(language)["phrases"] | shared_words(language)
    units = {CHANCE, "thresholds reached"}
    for game in (SKAT, KLAVERJAS):
        units |= {*game.reward_units, *get_part(game.name, "objectives")}
    assert {unit.replace("_", " ") for unit in units} - known.keys() == set()


@pytest.mark.parametrize("part", ["texts", "phrases"])
def test_both_languages_have_the_same_texts(part: str) -> None:
    german, dutch = (words(name)[part] for name in LANGUAGES)
    assert german.keys() == dutch.keys()


@pytest.mark.parametrize("game", [SKAT, KLAVERJAS], ids=lambda game: game.name)
@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_of_reviews_are_translated_whole(game: Game, language: str) -> None:
    """Without the known phrases and words no letters are left."""
    phrases = words(language)["phrases"]
    known = [
        re.escape(each)
        for part in (phrases, shared_words(language))
        for each in sorted(part, key=len, reverse=True)
    ]
    played = [state for state in random_games(game, 12, 6) if state.plays()]
    for state in played:
        told = costs(review(GameRecord.of(game.name, state, game.seats)))
        sentences = [
            *told["head"],
            told["end_outcome"],
            told["result"],
            *(card["outcome"] for card in told["cards"]),
        ]
        for sentence in sentences:
            left = sentence
            for each in known:
                left = re.sub(rf"(?<!\w){each}(?!\w)", "", left)
            assert not re.search(r"[A-Za-z]", left), (sentence, left)


def test_pages_load_nothing_from_outside() -> None:
    for file in STATIC.glob("*.*"):
        if file.stem in (*SCRIPTS, "pages", "review", "shelf"):
            text = file.read_text().replace("http://www.w3.org/2000/svg", "")
            assert "http:" not in text
            assert "https:" not in text
            assert "innerHTML" not in text
            assert not re.search(r"\bstyle=|onclick=\"|eval\(", text)
