"""Card faces: every card differs from every other, in any style; they are small, well-formed and without fonts."""

from typing import get_args
from xml.etree import ElementTree

import pytest

from skat_env.options import OptionError
from skat_env.pictures.faces import Colours, Deck, Language, Style, face, face_svg

STYLES = [
    Style(deck, language, colours)
    for deck in get_args(Deck)
    for language in get_args(Language)
    for colours in get_args(Colours)
]


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_no_two_cards_look_alike(style: Style) -> None:
    assert len({face(card, style) for card in (*range(32), None)}) == 33
    assert len({style.name(card) for card in (*range(32), None)}) == 33


@pytest.mark.parametrize("style", STYLES, ids=str)
def test_shapes_alone_tell_the_suits_apart(style: Style) -> None:
    """As in one colour."""

    def without_colours(card: int) -> str:
        text = face(card, style)
        for suit in range(4):
            text = text.replace(style.ink(suit), "ink")
        return text

    assert len({without_colours(card) for card in range(32)}) == 32


def test_faces_are_documents_of_paths_and_together_small() -> None:
    total = 0
    for style in (Style(), Style(deck="german")):
        for card in (*range(32), None):
            svg = face_svg(card, style, 60)
            root = ElementTree.fromstring(svg)
            assert (root.get("width"), root.get("height")) == ("60", "84")
            tags = {element.tag.rpartition("}")[2] for element in root.iter()}
            assert tags <= {"svg", "g", "path", "rect"}
            total += len(svg)
    assert total < 300_000


def test_letters() -> None:
    ranks = [[style.rank(card) for card in (3, 4, 5, 6, 7)] for style in (Style(), Style(language="de"))]
    assert ranks == [["10", "J", "Q", "K", "A"], ["10", "B", "D", "K", "A"]]
    assert [Style(language="nl").rank(card) for card in (4, 5, 6)] == ["B", "V", "H"]
    assert [Style(deck="german", language="nl").rank(card) for card in (4, 5, 6)] == ["U", "O", "K"]


def test_unknown_styles_are_refused() -> None:
    with pytest.raises(OptionError, match="deck"):
        Style(deck="tarot")  # type: ignore[arg-type]
