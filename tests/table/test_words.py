"""Every text that games and the pages of play show has its German and Dutch words."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import skat_env.table
from skat_env.pictures.table import Table, table_of
from skat_env.protocols import Game
from skat_env.registry import game_names, get_game, get_part, has_part
from skat_env.rule_options import parse_rules, rule_choices
from tests.conftest import random_games

STATIC = Path(skat_env.table.__file__).parent / "static"
SCRIPTS = ("play", "lobby", "scene", "cards", "settings", "links")
GAMES = 20
LETTERS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
CARD = re.compile(r"[♦♥♠♣](?:10|[7-9JQKA])")

languages = pytest.mark.parametrize("language", ["de", "nl"])


def words(language: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((STATIC / "words" / f"{language}.json").read_text())
    return found


def untranslated(text: str, known: dict[str, str]) -> list[str]:
    """What stays English in a text; as `translate` of words.js finds the phrases."""
    phrases = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    left = re.sub(rf"(?<![^\W\d_]|-)(?:{phrases})(?![^\W\d_]|-)", "", CARD.sub("", text))
    return LETTERS.findall(left)


def table_texts(table: Table) -> Iterator[str]:
    yield from (table.title, table.pile_name, *table.lines, *table.result)
    for hand in table.hands:
        yield from (hand.name, *hand.marks)


def rule_texts(game: Game) -> Iterator[str]:
    for option in rule_choices(game):
        yield from (option.name.replace("_", " "), *option.choices)


def played(game: Game) -> Iterator[Any]:
    """Random games, with each choice of each rule."""
    for option in rule_choices(game):
        for choice in option.choices:
            yield from random_games(game, GAMES, 7, parse_rules(f"{option.name}={choice}", game))


def game_texts(game: Game) -> set[str]:
    """The texts of the pictures, actions, claims and rules of a game."""
    found = {*game.seats, *rule_texts(game)}
    review = get_part(game.name, "review") if has_part(game.name, "review") else None
    for state in played(game):
        while True:
            for position in (state, *(state.view(seat) for seat in range(len(game.seats)))):
                found |= set(table_texts(table_of(game.name, position)))
            found |= {game.label(state, action) for action in state.legal_actions()}
            if review and state.stage == game.stages[-1]:
                found |= {review.result_text(state, claim) for claim in (True, False)}
            if not state.history():
                break
            state.undo()
    return found


@languages
@pytest.mark.parametrize("name", game_names())
def test_what_games_say_is_translated(name: str, language: str) -> None:
    known, texts = words(language), game_texts(get_game(name))
    assert len(texts) > 100
    missing = {text: left for text in texts if (left := untranslated(text, known))}
    assert missing == {}


@pytest.mark.parametrize("name", game_names())
def test_each_rule_is_explained_in_each_language(name: str) -> None:
    for option in rule_choices(get_game(name)):
        assert len(option.about) > 30
        for language in ("de", "nl"):
            assert option.about in words(language)


def page_texts() -> set[str]:
    """The texts in the scripts and the pages of play."""
    found: set[str] = set()
    for name in SCRIPTS:
        script = (STATIC / f"{name}.js").read_text()
        found |= set(re.findall(r'\btranslate\("([^"]+)"\)', script))
    for name in ("play", "lobby"):
        page = (STATIC / f"{name}.html").read_text()
        found |= {text.strip() for text in re.findall(r">([^<>]+)<", page)}
        found |= set(re.findall(r'(?:aria-label|placeholder)="([^"]+)"', page))
    return {text for text in found if text}


@languages
def test_what_pages_say_is_translated(language: str) -> None:
    known = words(language)
    assert len(page_texts()) > 60
    assert page_texts() - known.keys() == set()
    assert all(known.values())


def test_both_languages_have_the_same_texts() -> None:
    assert words("de").keys() == words("nl").keys()


def test_a_text_without_words_is_found() -> None:
    assert untranslated("♠J wins the rabbit", {"wins": "gewinnt"}) == ["the", "rabbit"]


def test_pages_load_nothing_from_outside() -> None:
    for file in (
        *(STATIC / f"{name}.js" for name in SCRIPTS),
        STATIC / "play.html",
        STATIC / "lobby.html",
        STATIC / "style.css",
    ):
        text = file.read_text()
        assert not re.search(r"https?://", text)
        assert "innerHTML" not in text
        assert not re.search(r"\bstyle=|\bon\w+=\"|eval\(|<style|url\(", text)
