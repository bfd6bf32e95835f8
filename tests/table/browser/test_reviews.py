"""The pages of reviews and of the shelf in a browser: by mouse, by keys, on a phone, from a file, from a link."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

pytest.importorskip("starlette", reason="needs the extra 'table'")
pytest.importorskip("playwright", reason="needs playwright")

from playwright.sync_api import Page, expect

from skat_env.klaverjas import GAME as KLAVERJAS
from skat_env.match.folder import match_folder
from skat_env.match.play import MatchConfig, play_match
from skat_env.protocols import Game
from skat_env.records import GameRecord
from skat_env.skat import GAME as SKAT
from skat_env.solvers.review import review
from skat_env.solvers.reviewed_game import Prospect
from skat_env.table.server import make_app
from tests.conftest import random_games
from tests.table.browser.conftest import NewPage, serving

pytestmark = pytest.mark.slow
both_games = pytest.mark.parametrize("game", [SKAT, KLAVERJAS], ids=lambda game: game.name)


def record(game: Game) -> GameRecord:
    """A game that was played to its end."""
    seats = len(game.seats)
    for state in random_games(game, 30, 3):
        if len(state.plays()) == sum(game.place_sizes[:seats]):
            return GameRecord.of(game.name, state, [f"player {seat}" for seat in range(seats)])
    raise AssertionError("there is no such game")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("browser") / "shelf"
    root.mkdir()
    (root / "games.jsonl").write_text("".join(record(game).text() + "\n" for game in (SKAT, KLAVERJAS)))
    (root / "run").mkdir()
    (root / "run" / "run.json").write_text('{"learner": "ppo", "config": {"seed": 1}}')
    lines = [{"step": step, "win": 0.5, "win_low": 0.4, "win_high": 0.6} for step in range(9)]
    (root / "run" / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return root


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """The address of a server of the pages."""
    app = make_app(folder.parent / "tables", folder)
    with serving(app) as found:
        yield found


@pytest.fixture
def page(new_page: NewPage) -> Page:
    return new_page(viewport={"width": 1000, "height": 900})


def opened(page: Page, address: str, **words: Any) -> None:
    page.goto(f"{address}/review#{urlencode(words)}")
    expect(page.locator("#tricks table")).to_be_attached()


@both_games
def test_a_game_card_by_card(page: Page, address: str, game: Game) -> None:
    given = record(game)
    opened(page, address, text=given.text(), step=0)
    expected = review(given)
    actions, cards = len(given.state.history()), len(given.state.plays())
    said = page.locator("#said")
    expect(said).to_contain_text(f"0 / {actions}")
    page.keyboard.press("End")
    expect(said).to_contain_text(f"{actions} / {actions}")
    expect(page.locator("#on")).to_be_disabled()
    page.keyboard.press("Home")
    for _ in range(actions - cards):
        page.keyboard.press("ArrowRight")
    expect(said).to_contain_text(f"{actions - cards} / {actions}")
    words = expected.game
    first = words.outcome_text(given.state, Prospect(expected.value, expected.wins))
    expect(page.locator("#verdict")).to_contain_text(first)
    costly = next(number for number, card in enumerate(expected.cards) if card.cost)
    page.locator("#tricks tbody button").nth(0).wait_for()
    page.locator(f'#tricks [data-step="{actions - cards + costly}"]').click()
    expect(said).to_contain_text(f"{actions - cards + costly + 1} / {actions}")
    expect(page.locator("#verdict")).to_contain_text("Better:")
    sums = page.locator("#tricks tfoot td").all_inner_texts()
    assert [abs(int(each.replace("−", "-"))) for each in sums] == list(expected.costs)
    page.locator("#back").click()
    expect(said).to_contain_text(f"{actions - cards + costly} / {actions}")
    assert f"step={actions - cards + costly}" in page.url


def test_a_link_holds_the_game(page: Page, address: str) -> None:
    given = record(SKAT)
    opened(page, address, dataset="games.jsonl", number=0, step=20, seat=1)
    expect(page.locator("#said")).to_contain_text("20 /")
    expect(page.locator("#seat")).to_have_value("1")
    expect(page.locator("#values")).to_be_hidden()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#link").click()
    expect(page.locator("#link")).to_have_text("Copied")
    link = page.evaluate("navigator.clipboard.readText()")
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#said")).to_contain_text("20 /")
    assert urlencode({"text": given.text()}) in link
    page.locator("#position").click()
    expect(page.locator("#position")).to_have_text("Copied")
    text = page.evaluate("navigator.clipboard.readText()")
    state = given.state.clone()
    while len(state.history()) > 20:
        state.undo()
    assert text == state.view(1).text()
    page.locator("#open").evaluate("found => { found.open = true; }")
    page.locator("#text").fill(text)
    page.locator("#form button").click()
    expect(page.locator("#about")).to_contain_text("as one seat sees it")


@both_games
def test_another_agent_is_asked(page: Page, address: str, game: Game) -> None:
    given = record(game)
    opened(page, address, text=given.text(), step=len(given.state.history()) - 15)
    page.locator("#agent").fill("policy")
    page.locator("#belief").fill("locations")
    page.locator("#ask button").first.click()
    expect(page.locator("#thoughts .actions")).to_be_visible()
    rows = page.locator("#thoughts .belief tbody tr")
    assert rows.count() > 5
    assert page.locator("#thoughts .belief td.true").count() == rows.count()
    page.locator("#through").click()
    expect(page.locator("#asking")).to_be_hidden()
    assert page.locator(".through tbody tr").count() == game.place_sizes[0]
    page.locator("#agent").fill("nobody")
    page.locator("#ask button").first.click()
    expect(page.locator("#asking")).to_contain_text("nobody")
    page.locator("#seat").select_option("0")
    expect(page.locator("#values")).to_be_hidden()
    page.locator("#agent").fill("")
    page.locator("#ask button").first.click()
    expect(page.locator("#thoughts .actions")).to_have_count(0)
    expect(page.locator("#thoughts .belief")).to_be_visible()
    assert page.locator("#thoughts .belief td.true").count() == 0


def test_values_of_two_units_are_two_lines(page: Page, address: str) -> None:
    given = record(SKAT)
    opened(page, address, text=given.text(), step=len(given.state.history()) - 15)
    parts = [f"pimc(worlds=2, objective={name}, bidder=rule)" for name in ("points", "win")]
    page.locator("#agent").fill(f"hybrid(policy='{parts[0]}', search='{parts[1]}', trick=5)")
    page.locator("#through").click()
    expect(page.locator("#asking")).to_be_hidden()
    captions = page.locator("#through-answer figcaption").all_inner_texts()
    assert captions[:2] == ["value, points", "value, win"]
    values = page.locator(".through tbody td:nth-child(4)").all_inner_texts()
    assert {value.rpartition(" ")[2] for value in values} - {"–"} == {
        "points",
        "win",
    }  # nothing of a forced card


def test_a_person_without_a_name_has_one_in_each_language(new_page: NewPage, address: str) -> None:
    page = new_page(locale="de-DE")
    named = replace(record(SKAT), agents=("human", "rule", "rule"))
    opened(page, address, text=named.text(), step=0)
    expect(page.locator("#about")).to_contain_text("Vorhand: Mensch, Mittelhand: rule")
    expect(page.locator(".hand.bottom .plate")).to_contain_text("Mensch")


def test_a_file_and_a_text_that_is_no_game(page: Page, address: str, folder: Path) -> None:
    page.goto(f"{address}/review")
    page.locator("#text").fill("this is no game")
    page.locator("#form button").click()
    expect(page.get_by_role("alert")).to_contain_text("position")
    page.locator("#file").set_input_files(folder / "games.jsonl")
    expect(page.locator("#list button")).to_have_count(2)
    expect(page.locator("#problem")).to_be_hidden()
    page.locator("#list button").nth(1).click()
    expect(page.locator("#about")).to_contain_text("south")


def middle(box: Any) -> float:
    """The height at which the middle of a box is."""
    return float(box["y"] + box["height"] / 2)


def test_what_stands_beside_each_other_is_level(page: Page, address: str) -> None:
    opened(page, address, text=record(SKAT).text(), step=0)
    words = page.evaluate_handle("""() => {
        const found = document.createRange();
        found.selectNodeContents(document.getElementById("hindsight").nextSibling);
        return found;
    }""").evaluate("found => found.getBoundingClientRect().toJSON()")
    assert abs(middle(page.locator("#hindsight").bounding_box()) - middle(words)) < 4
    row = page.locator("#tricks tbody tr").first
    lines = row.locator("th, td").evaluate_all("""cells => cells.map((cell) => {
        const found = document.createRange();
        found.selectNodeContents(cell.querySelector("button") ?? cell);
        return found.getBoundingClientRect().bottom;
    })""")
    assert max(lines) - min(lines) < 2
    page.locator("#agent").fill("rule")
    page.locator("#ask button").first.click()
    expect(page.locator("#thoughts .decision")).to_be_visible()
    expect(page.locator("#asking")).to_have_css("text-align", "start")


@both_games
def test_all_cards_are_on_the_felt_of_a_phone(new_page: NewPage, address: str, game: Game) -> None:
    page = new_page(viewport={"width": 360, "height": 740}, has_touch=True)
    opened(page, address, text=record(game).text(), step=0)
    felt = page.locator(".felt").bounding_box()
    assert felt
    cards = page.locator(".hand.bottom .card").all()
    assert len(cards) == game.place_sizes[0]
    for card in cards:
        box = card.bounding_box()
        assert box
        assert felt["x"] <= box["x"]
        assert box["x"] + box["width"] <= felt["x"] + felt["width"]


def test_the_last_game_of_a_file_leads_back_only(page: Page, address: str) -> None:
    opened(page, address, dataset="games.jsonl", number=0)
    expect(page.locator("#about .links a")).to_have_text(["games.jsonl", "game 1 →"])
    page.locator("#about a").last.click()
    expect(page.locator("#about .links a")).to_have_text(["games.jsonl", "← game 0"])


def test_long_names_on_the_shelf_fit_on_a_phone(page: Page, address: str, folder: Path) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    name = f"{'result_' * 9}.json"
    (folder / name).write_text('{"points": 1}')
    page.goto(f"{address}/shelf#path={name}&kind=result")
    expect(page.locator("#content")).to_contain_text("points")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_shelf_leads_to_a_game(page: Page, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(f"{address}/shelf")
    page.get_by_role("link", name="games.jsonl").click()
    page.get_by_label("Player").fill("player 2")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("#content tbody tr")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator("#content tbody a").first.click()
    expect(page.locator("#tricks table")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_role("link", name="Shelf").first.click()
    page.get_by_role("link", name="run").click()
    expect(page.locator("svg.chart .band")).to_be_visible()
    page.goto(f"{address}/shelf#path=..")
    expect(page.get_by_role("alert")).to_contain_text("there is no '..'")


def test_a_match_that_is_being_played(page: Page, address: str, folder: Path) -> None:
    config = MatchConfig("skat", ("rule", "random"), 9, 1)
    with match_folder(folder / "match", config) as match:
        page.goto(f"{address}/shelf#path=match&kind=match")
        expect(page.locator("#content")).to_contain_text("The match is not finished.")
        expect(page.locator("#content tbody tr")).to_have_count(0)
        for games in islice(play_match(config), 3):
            match.append(games)
        page.reload()
        expect(page.locator("#content")).to_contain_text("3 deals, 18 games")
        expect(page.locator(".intervals tbody tr").first).to_contain_text("rule − random")


def test_a_server_without_a_shelf(page: Page, tmp_path: Path) -> None:
    with serving(make_app(tmp_path)) as address:
        page.goto(f"{address}/shelf")
        expect(page.get_by_role("alert")).to_have_text(
            "There is no shelf: start the table with --shelf and a folder."
        )
        given = record(SKAT)
        opened(page, address, text=given.text(), step=0)
        page.get_by_role("link", name="New table").click()
        expect(page.locator("#seats .row")).to_have_count(3)


@both_games
def test_every_action_is_judged_by_what_could_be_known(page: Page, address: str, game: Game) -> None:
    page.goto(f"{address}/review#{urlencode({'text': record(game).text()})}")
    page.get_by_role("button", name="Judge bids, contract, discards and cards").click()
    expect(page.locator("#judging")).to_be_hidden()
    expect(page.locator("#judged p").first).to_contain_text("decisions judged")
    rows = page.locator("#judged tbody tr")
    assert rows.count() > 0  # players that draw their cards make errors
    rows.first.get_by_role("button").click()
    expect(page.locator("#verdict")).to_contain_text("By what it could know:")
    expect(page.locator("#verdict")).to_contain_text("Better:")


def test_the_judge_tells_a_seat_nothing_of_the_others(page: Page, address: str) -> None:
    """Better cards of others would: neither what was judged before with all cards is shown, nor are they judged."""
    opened(page, address, text=record(SKAT).text())
    seats = page.locator("#judged tbody td:nth-child(2)")

    def judge() -> set[str]:
        page.locator("#judge").click()
        expect(page.locator("#judging")).to_be_hidden()
        return {*seats.all_inner_texts()}

    assert judge() == {"forehand", "middlehand", "rearhand"}
    page.locator("#seat").select_option("1")
    expect(seats.filter(has_text="forehand")).to_have_count(0)
    assert {*seats.all_inner_texts()} == {"middlehand"}
    page.locator("#seat").select_option("-1")
    expect(seats.filter(has_text="forehand")).not_to_have_count(0)
    page.locator("#seat").select_option("0")
    expect(seats.filter(has_text="middlehand")).to_have_count(0)
    steps = record(SKAT).state.history()
    asked: list[Any] = []
    page.on("request", lambda request: asked.append(request) if "verdict" in request.url else None)
    assert judge() == {"forehand"}
    assert 0 < len(asked) < len(steps)
    assert "middlehand" not in page.locator("#judged").inner_text()
