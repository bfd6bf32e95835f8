"""Whole games in a browser: by clicks, by keys, by touch, two people at a table, and a connection that breaks."""

import json
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.request import Request, urlopen

import pytest

pytest.importorskip("starlette", reason="needs the extra 'table'")
pytest.importorskip("playwright", reason="needs playwright")

import uvicorn
from playwright.sync_api import Browser, Page, expect, sync_playwright

from agents.table.server import make_app
from skat_env.records import GameRecord

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
HUMAN, RULE = {"kind": "human"}, {"kind": "agent", "spec": "rule"}
TURN = "#choices button, #table button.playable"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with tables."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    app = make_app(tmp_path_factory.mktemp("tables"))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=lambda: server.run(sockets=[listening]), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    server.should_exit = True
    thread.join(30)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


def opened(browser: Browser, errors: list[str], **options: Any) -> Page:
    """A page of a person of his own; what goes wrong on it is collected."""
    page = browser.new_context(**options).new_page()
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    return page


def made(address: str, **given: Any) -> dict[str, Any]:
    request = Request(
        f"{address}/api/tables", json.dumps(given).encode(), {"Content-Type": "application/json"}
    )
    found: dict[str, Any] = json.load(urlopen(request))
    return found


def record(address: str, table: str) -> GameRecord:
    """The last deal of a table that has ended."""
    lines = urlopen(f"{address}/api/tables/{table}/record").read().decode().splitlines()
    return GameRecord.parse(lines[-1])


def link(address: str, table: dict[str, Any], seat: int = 0) -> str:
    return f"{address}/t/{table['table']}?speed=0#{table['seats'][str(seat)]}"


def play(page: Page, act: str = "click") -> None:
    """Plays what comes first, to the end of the deal."""
    until = time.monotonic() + 60
    while not page.locator(".result").count():
        assert time.monotonic() < until, "the deal does not end"
        turn = page.locator(TURN)
        if turn.count():
            number = page.locator("#history li").count()
            getattr(turn.first, act)()
            page.wait_for_function(
                "n => document.querySelectorAll('#history li').length > n || document.querySelector('.result')",
                arg=number,
            )
        else:
            page.wait_for_timeout(20)


def check_score(page: Page, address: str, table: dict[str, Any]) -> None:
    """The points on the page are those of the record."""
    returns = record(address, table["table"]).returns()
    assert returns is not None
    cells = page.locator("#score tbody tr").last.locator("td").all_inner_texts()
    assert cells[1:-1] == [str(points) for points in returns]


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_a_game_by_clicks(browser: Browser, address: str, game: str) -> None:
    errors: list[str] = []
    page = opened(browser, errors)
    page.goto(f"{address}/")
    page.select_option("#game", game)
    page.fill("#name-0", "Ann")
    page.fill("#seed", "4")
    page.click("button.main")
    page.wait_for_url("**/t/*")
    page.goto(page.url.replace("#", "?speed=0#"))
    name = page.url.split("/t/")[1].split("?")[0]
    play(page)
    expect(page.locator("#table")).to_contain_text("Ann")
    check_score(page, address, {"table": name})
    page.click("button.main")
    expect(page.locator("#score tbody tr")).to_have_count(2)
    assert errors == []


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
def test_a_game_by_keys(browser: Browser, address: str, game: str) -> None:
    """From the first bid to the score: arrows and Enter, numbers, names of cards; a hint, and an action taken back."""
    errors: list[str] = []
    table = made(address, game=game, seed=1)
    page = opened(browser, errors, reduced_motion="reduce")
    page.goto(link(address, table))
    turn = page.locator(TURN)
    moves = taken = 0
    until = time.monotonic() + 60
    while not page.locator(".result").count():
        assert time.monotonic() < until, "the deal does not end"
        if not turn.count():
            page.wait_for_timeout(20)
            continue
        moves += 1
        number = page.locator("#history li").count()
        choices = page.locator("#choices button").count()
        if moves == 2:
            page.keyboard.press("?")
            expect(page.locator(".chosen-hint")).to_have_count(1)
        if moves == 4 and not taken:
            taken = 1
            page.keyboard.press("u")
            page.wait_for_function("n => document.querySelectorAll('#history li').length < n", arg=number)
            continue
        if moves % 3 == 0 or choices:
            if choices and moves % 2:
                page.keyboard.press("2" if game == "skat" and choices == 2 else "1")
            else:
                page.keyboard.press("ArrowRight")
                page.keyboard.press("Enter")
        else:
            card = int(turn.first.get_attribute("data-card") or 0)
            ranks = ("7", "8", "9", "10", "J", "Q", "K", "A")
            page.keyboard.type("DHSC"[card >> 3] + ranks[card & 7])
        page.wait_for_function(
            "n => document.querySelectorAll('#history li').length > n || document.querySelector('.result')",
            arg=number,
        )
    check_score(page, address, table)
    page.keyboard.press("n")
    expect(page.locator(".result")).to_have_count(0)
    assert errors == []


def test_a_game_by_touch_on_a_phone(browser: Browser, address: str) -> None:
    """Nothing is wider than the screen, and what is touched is large enough."""
    errors: list[str] = []
    table = made(address, game="skat", seed=6)
    page = opened(browser, errors, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.goto(link(address, table))
    expect(page.locator(TURN).first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for button in page.locator("#choices button, #tools button").all():
        box = button.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    play(page, "tap")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    check_score(page, address, table)
    assert errors == []


def test_two_people_and_a_spectator(browser: Browser, address: str) -> None:
    errors: list[str] = []
    table = made(address, game="skat", seed=2, seats=[HUMAN, HUMAN, RULE])
    ann, bo, watching = (opened(browser, errors) for _ in range(3))
    ann.goto(link(address, table))
    bo.goto(link(address, table, 1))
    watching.goto(f"{address}/t/{table['table']}?speed=0")
    until = time.monotonic() + 60
    while not (ann.locator(".result").count() and bo.locator(".result").count()):
        assert time.monotonic() < until, "the deal does not end"
        for page in (ann, bo):
            if page.locator(TURN).count():
                page.locator(TURN).first.click()
                page.wait_for_timeout(30)
    expect(watching.locator(".result")).to_have_count(1)
    for page in (ann, bo, watching):
        check_score(page, address, table)
    assert watching.locator(TURN).count() == 0
    assert errors == []


def test_a_connection_that_breaks_comes_back(browser: Browser, address: str) -> None:
    errors: list[str] = []
    table = made(address, game="klaverjas", seed=3)
    page = opened(browser, errors)
    page.add_init_script(
        "const Plain = WebSocket; window.sockets = [];"
        "window.WebSocket = class extends Plain { constructor(...given) { super(...given); sockets.push(this); } };"
    )
    page.goto(link(address, table))
    expect(page.locator(TURN).first).to_be_visible()
    shown = page.locator("#table").inner_text()
    page.evaluate("sockets.at(-1).close()")
    expect(page.locator("#problem")).to_be_visible()
    page.wait_for_function("() => sockets.length > 1 && sockets.at(-1).readyState === 1")
    expect(page.locator("#problem")).to_be_hidden()
    assert page.locator("#table").inner_text() == shown
    play(page)
    check_score(page, address, table)
    assert errors == []


def test_words_and_faces_of_other_countries(browser: Browser, address: str) -> None:
    errors: list[str] = []
    table = made(address, game="skat", seed=5)
    page = opened(browser, errors, color_scheme="dark")
    page.add_init_script("localStorage.setItem('language', 'de'); localStorage.setItem('deck', 'german')")
    page.goto(link(address, table))
    expect(page.locator("#table")).to_contain_text("Vorhand")
    play(page)
    sources = page.locator("#table img").evaluate_all("all => all.map((each) => each.src)")
    assert all("/faces/german-de-four/" in source for source in sources)
    assert errors == []


def test_what_is_wrong_is_said(browser: Browser, address: str) -> None:
    """A link of no table, a browser without WebSocket, an agent that there is not."""
    errors: list[str] = []
    page = opened(browser, errors)
    page.goto(f"{address}/t/nothing")
    expect(page.locator("#problem")).to_have_text("there is no such table")
    page.goto(f"{address}/")
    page.fill("#agent-1", "nobody")
    page.click("button.main")
    expect(page.locator("#problem")).to_contain_text("nobody")
    page.add_init_script("delete window.WebSocket")
    page.goto(link(address, made(address)))
    expect(page.locator("#problem")).to_contain_text("WebSocket")
