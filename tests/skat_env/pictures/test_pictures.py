"""Pictures of positions: what is on them, what is not, and that they fit."""

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skat_env.beliefs.belief import UniformSampler
from skat_env.cards import cards_of, parse_card
from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.klaverjas import KlaverjasState
from skat_env.options import OptionError
from skat_env.pictures.layout import Box, Card, Mark, Words, layout
from skat_env.pictures.strip import strip
from skat_env.pictures.svg import document, position_svg
from skat_env.pictures.table import table_of
from skat_env.records import GameRecord
from skat_env.registry import get_game
from skat_env.skat import GAME as SKAT
from skat_env.skat import SkatState
from tests.conftest import ROOT, klaverjas_positions, random_games, skat_positions

POSITIONS = {"skat": skat_positions(), "klaverjas": klaverjas_positions()}
GAMES = {"skat": SKAT, "klaverjas": KLAVERJAS}
SIZES = ((720, 540), (390, 700), (1100, 420), (200, 200))

both_games = pytest.mark.parametrize("name", list(GAMES))


def drawn(name: str, data: st.DataObject) -> Any:
    return data.draw(POSITIONS[name])


def cards_shown(svg: str) -> list[int]:
    """The cards on a picture."""
    return [parse_card(text) for text in re.findall(r'href="#card-french-en-four-(\w\w)"', svg)]


@both_games
@given(st.data())
def test_a_state_shows_every_card_that_is_still_there(name: str, data: st.DataObject) -> None:
    state = drawn(name, data)
    shown = set(cards_shown(position_svg(name, state)))
    held = {card for mask in state.places for card in cards_of(mask)}
    on_table = {card for _, card in state.trick()}
    assert held | on_table <= shown
    if state.is_over:
        assert shown == set(range(32))
    elif not state.plays():
        assert "card-back" not in position_svg(name, state)
        assert shown == set(range(32))


@both_games
@given(st.data())
def test_a_view_shows_no_card_that_its_seat_does_not_see(name: str, data: st.DataObject) -> None:
    state = drawn(name, data)
    for seat in range(len(GAMES[name].seats)):
        view = state.view(seat)
        seen = {card for mask in (*view.places, view.played_mask()) for card in cards_of(mask)}
        hidden = set(range(32)) - seen
        svg = position_svg(name, view)
        assert not set(cards_shown(svg)) & hidden
        for card in hidden:
            assert f"-{GAMES[name].actions[card]}" not in svg


@both_games
@given(st.data())
def test_hidden_cards_leave_no_trace(name: str, data: st.DataObject) -> None:
    """The cards that a seat does not see are dealt anew: its picture is the same, byte for byte."""
    state = drawn(name, data)
    seat = data.draw(st.integers(0, len(GAMES[name].seats) - 1))
    view = state.view(seat)
    expected = position_svg(name, view)
    for world in UniformSampler().worlds(view, 3, np.random.default_rng(0)):
        assert position_svg(name, world.state.view(seat)) == expected


@both_games
@given(st.data())
@settings(max_examples=20)
def test_everything_is_inside_the_picture(name: str, data: st.DataObject) -> None:
    state = drawn(name, data)
    for width, height in SIZES:
        for position in (state, state.view(0)):
            for item in layout(table_of(name, position), width, height).items:
                match item:
                    case Card():
                        assert item.x >= -1
                        assert item.x + item.width <= width + 1
                        assert item.y >= -1
                        assert item.y + 1.4 * item.width <= height + 1
                    case Box():
                        assert item.x >= -1
                        assert item.x + item.width <= width + 1
                    case Words() | Mark():
                        assert 0 <= item.x <= width
                        assert 0 <= item.y <= height


@both_games
@given(st.data())
@settings(max_examples=20)
def test_pictures_are_well_formed(name: str, data: st.DataObject) -> None:
    state = drawn(name, data)
    for position in (state, state.view(1)):
        root = ElementTree.fromstring(position._repr_svg_())
        ids = {element.get("id") for element in root.iter() if element.get("id")}
        used = {element.get("href") for element in root.iter() if element.get("href")}
        assert used == {f"#{each}" for each in ids}
        assert position._repr_html_() == position._repr_svg_()


@both_games
def test_the_seat_to_act_and_the_one_at_the_bottom(name: str) -> None:
    state = GAMES[name].state.random(np.random.default_rng(0))
    for seat, words in enumerate(GAMES[name].seats):
        table = table_of(name, state.view(seat))
        assert table.bottom == seat
        assert table.to_act == state.to_act
        plates = [
            item
            for item in layout(table).items
            if isinstance(item, Words) and item.text.split(" · ")[0] == words
        ]
        assert plates[0].text.endswith("to act") == (seat == state.to_act)
        lowest = max(
            (item for item in layout(table).items if isinstance(item, Words)), key=lambda item: item.y
        )
        assert lowest.text.startswith(words)


@both_games
def test_the_cards_that_may_be_played_stick_out(name: str) -> None:
    found = 0
    for state in random_games(GAMES[name], 5, 1):
        while state.plays():
            state.undo()
            legal, hand = state.legal() & 0xFFFFFFFF, state.hands[state.to_act]
            if state.stage != "cardplay" or not state.trick():
                continue
            table = table_of(name, state, bottom=state.to_act)
            assert table.playable == (legal if legal != hand else 0)
            if table.playable:
                own = {item.card: item.y for item in layout(table).items if isinstance(item, Card)}
                up = {own[card] for card in cards_of(legal)}
                down = {own[card] for card in cards_of(hand & ~legal)}
                assert max(up) < min(down)
                found += 1
    assert found


def test_the_phases_of_a_game_of_skat() -> None:
    text = "D7.D8.D9.DT.DJ.DQ.DK.DA.H7.H8/H9.HT.HJ.HQ.HK.HA.S7.S8.S9.ST/SJ.SQ.SK.SA.C7.C8.C9.CT.CJ.CQ/CK.CA :"
    steps = {
        "": ("auction", 30, 2),
        " yes yes pass": ("auction", 30, 2),
        " yes yes pass pass": ("skat or hand game", 30, 2),
        " yes yes pass pass pick-up": ("declaration", 32, 0),
        " yes yes pass pass pick-up D": (": discard", 32, 0),
        " yes yes pass pass pick-up D H7": (": discard", 31, 1),
        " yes yes pass pass hand": ("declaration", 30, 2),
        " yes yes pass pass hand D": ("announcement", 30, 2),
    }
    for actions, (title, in_hands, in_skat) in steps.items():
        state = SkatState.parse(text + actions)
        table = table_of("skat", state)
        assert table.title.endswith(title)
        assert sum(len(hand.cards) for hand in table.hands) == in_hands
        assert len(table.pile) == in_skat
        for seat in range(3):
            other = table_of("skat", state.view(seat))
            assert [len(hand.cards) for hand in other.hands] == [len(hand.cards) for hand in table.hands]
            assert len(other.pile) == in_skat


def test_an_ouvert_hand_is_open_and_a_skat_is_not() -> None:
    rng = np.random.default_rng(2)
    from skat_env.skat.rules import Declaration

    state = SkatState.cardplay(SKAT.random_deal(rng), 0, Declaration.parse("NO"), (23, 0, 0))
    table = table_of("skat", state.view(1))
    assert None not in table.hands[0].cards
    assert set(table.hands[2].cards) == {None}
    assert table.pile == (None, None)


def test_a_game_that_everybody_passed() -> None:
    state = SkatState.random(np.random.default_rng(0))
    for _ in range(3):
        state.apply(32)
    for position in (state, state.view(2)):
        assert table_of("skat", position).result == ("everybody passed",)


@both_games
def test_the_result_is_on_the_picture(name: str) -> None:
    for state in random_games(GAMES[name], 10, 3):
        table = table_of(name, state)
        result = state.result()
        if result.declarer < 0:
            continue
        numbers = {int(word) for line in table.result for word in re.findall(r"-?\d+", line)}
        expected = result.tournament_points if name == "skat" else result.scores
        assert set(expected) <= numbers
        assert all(table_of(name, state.view(seat)).result for seat in range(len(GAMES[name].seats)))


@both_games
def test_a_record_is_a_strip_of_tricks(name: str) -> None:
    seats = len(GAMES[name].seats)
    for state in random_games(GAMES[name], 5, 4):
        record = GameRecord.of(name, state, ["rule & <co>"] * seats)
        drawing = strip(name, state, record.agents)
        drawn = [item.card for item in drawing.items if isinstance(item, Card)]
        assert drawn == [card for _, card in state.plays()]
        assert record._repr_svg_() == document(drawing)
        assert ("rule &amp; &lt;co&gt;" in record._repr_html_()) == bool(state.plays())
        for item in drawing.items:
            if isinstance(item, Card):
                assert item.x + item.width <= drawing.width
                assert item.y + 1.4 * item.width <= drawing.height
    with pytest.raises(ValueError, match="2 names of players"):
        strip(name, state, ("a", "b"))


@pytest.mark.parametrize("size", [{"width": 0}, {"height": 10**6}, {"width": 1.5}, {"width": True}])
def test_sizes_that_cannot_be_are_refused(size: dict[str, Any]) -> None:
    state = SkatState.random(np.random.default_rng(0))
    with pytest.raises(OptionError, match="expected a whole number"):
        position_svg("skat", state, **size)


def test_a_game_without_pictures_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="unknown game"):
        table_of("bridge", None)
    assert get_game("skat") is SKAT


def test_the_pictures_of_the_pages_are_as_drawn_now() -> None:
    """Else draw them anew, with the command on the page."""
    [text] = re.findall(r'^POSITION="(.*)"$', (ROOT / "docs" / "pictures.md").read_text(), re.MULTILINE)
    expected = position_svg("skat", SkatState.parse(text).view(1))
    assert (ROOT / "docs" / "pictures" / "skat.svg").read_text() == expected
    page = (ROOT / "docs" / "klaverjas_rules.md").read_text()
    [text] = re.findall(r'^skat-env draw "(.*)"', page, re.MULTILINE)
    expected = position_svg("klaverjas", KlaverjasState.parse(text).view(3))
    assert (ROOT / "docs" / "pictures" / "klaverjas.svg").read_text() == expected
