"""Whole games at a table in a browser: by clicks, by keys, on a phone, by two people, and after a restart."""

import itertools
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette", reason="needs the extra 'table'")
pytest.importorskip("playwright", reason="needs playwright")

from playwright.sync_api import Locator, Page, Response, expect

from skat_env.records import GameRecord
from skat_env.table.server import make_app
from tests.table.browser.conftest import NewPage, serving

pytestmark = pytest.mark.slow

Json = dict[str, Any]

ANN, BOB, RULE = (
    {"kind": "human", "name": "Ann"},
    {"kind": "human", "name": "Bob"},
    {"kind": "agent", "spec": "rule"},
)
SOLOIST = 3
"""A seed of Skat with which forehand gets the game for 18."""
PHONE: Json = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
TARGETS = "#choices button, #table button.playable, #tools .main"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(make_app(tmp_path_factory.mktemp("tables"))) as found:
        yield found


def new_table(page: Page, address: str, **given: Any) -> Json:
    """Makes a table without its page."""
    answer = page.request.post(f"{address}/api/tables", data=given)
    assert answer.ok, answer.text()
    made: Json = answer.json()
    return made


def sit(
    page: Page, address: str, made: Json, seat: int | None = 0, host: bool = False, speed: str = "?speed=0"
) -> None:
    """Sits down at a table; None: looks on. An empty speed is that of people."""
    token = "" if seat is None else made["seats"][str(seat)]
    tokens = f"{token}.{made['host']}" if host else token
    page.goto(f"{address}/t/{made['table']}{speed}#{tokens}")
    expect(page.locator(".felt")).to_be_visible()


def at_table(page: Page, address: str, speed: str = "?speed=0", **given: Any) -> None:
    """Makes a table with `rule` in all places but the first and sits down there."""
    others = {"skat": 2, "klaverjas": 3}[given["game"]]
    made = new_table(page, address, **{"seats": [ANN, *[RULE] * others], **given})
    sit(page, address, made, speed=speed)


def number(page: Page) -> str:
    """The number of the scene that a page shows."""
    return page.locator("#table").get_attribute("data-number") or ""


def is_over(page: Page) -> bool:
    """Waits for the person's turn; whether the deal is over."""
    page.locator(TARGETS).first.wait_for()
    return page.locator("#tools .main").count() == 1


def changed(page: Page, act: Callable[[], None]) -> None:
    """Does something and waits until the table has changed."""
    before = number(page)
    act()
    expect(page.locator("#table")).not_to_have_attribute("data-number", before)


def play(page: Page, choose: Callable[[Page], Callable[[], None]]) -> int:
    """Plays a deal to its end; the number of actions."""
    actions = 0
    while not is_over(page):
        changed(page, choose(page))
        actions += 1
    return actions


def click(page: Page) -> Callable[[], None]:
    """What makes forehand soloist of a suit game with the skat; later the first card."""
    return wanted(page, "bid", "pick up", "hearts", "nothing").click


def wanted(page: Page, *answers: str) -> Locator:
    """The button of the first of some answers that can be given, else the first answer or card."""
    buttons = [page.locator("#choices button").filter(has_text=answer) for answer in answers]
    given = [button for button in buttons if button.count()]
    return (given[0] if given else page.locator(TARGETS)).first


def scored(page: Page) -> list[list[str]]:
    """The rows of the score list."""
    return [row.locator("td").all_inner_texts() for row in page.locator("#score tbody tr").all()]


def require_recorded(page: Page, address: str) -> None:
    """The score list has the points of the game's record, deal by deal, and their sums."""
    *deals, total = ([int(points) for points in row[1:-1]] for row in scored(page))
    name = urlsplit(page.url).path.rpartition("/")[2]
    lines = page.request.get(f"{address}/api/tables/{name}/record").text().splitlines()
    returns = [list(GameRecord.parse(line).returns() or ()) for line in lines]
    # Players keep their columns, while their seats move on by one with every deal.
    assert deals == [
        [points[(player - deal) % len(points)] for player in range(len(points))]
        for deal, points in enumerate(returns)
    ]
    assert total == [sum(column) for column in zip(*deals, strict=True)]
    assert any(deals[-1])


def test_a_whole_game_of_skat_by_clicks(new_page: NewPage, address: str) -> None:
    page = new_page(reduced_motion="reduce")
    page.goto(address)
    expect(page.get_by_label("Play out")).to_have_accessible_description(re.compile("^All ten tricks"))
    page.get_by_label("Name").first.fill("Ann")
    page.get_by_label("Seed of the deals").fill(str(SOLOIST))
    page.get_by_role("button", name="Make the table").click()
    expect(page.locator(".plate.acts")).to_contain_text("Ann")
    actions = play(page, click)
    history = page.locator("#history").inner_text()
    for words in ("you: bid 18", "you: pick up", "hearts"):
        assert words in history
    assert actions >= 10
    expect(page.locator(".result h2")).to_contain_text("forehand")
    require_recorded(page, address)
    first = scored(page)[0]
    page.get_by_role("button", name="Next deal").click()
    expect(page.locator(".result")).to_have_count(0)
    expect(page.locator(".hand.bottom .marks")).to_contain_text("rearhand")
    assert scored(page)[0] == first
    play(page, click)
    require_recorded(page, address)
    assert len(scored(page)) == 3


def keys_of(page: Page, *answers: str) -> Callable[[Page], Callable[[], None]]:
    """What plays by keys alone: the number of the first of some answers that can be given, else of the first answer;
    cards in turn by arrows and by what they are called."""
    cards = itertools.count()

    def by_arrows() -> None:
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")

    def choose(page: Page) -> Callable[[], None]:
        texts = page.locator("#choices button").all_inner_texts()
        if texts:
            given = (at for answer in answers for at, text in enumerate(texts, 1) if answer in text)
            key = str(next(given, 1))
        elif next(cards) % 2:
            return by_arrows
        else:
            expect(page.locator("button.playable:focus")).to_have_count(1)
            card = page.locator("button.playable").first.get_attribute("data-card")
            suit, rank = divmod(int(card or 0), 8)
            key = "DHSC"[suit] + ("7", "8", "9", "10", "J", "Q", "K", "A")[rank]
        return lambda: page.keyboard.type(key)

    return choose


def test_a_whole_game_of_skat_by_keys(new_page: NewPage, address: str) -> None:
    page = new_page()
    at_table(page, address, game="skat", seed=SOLOIST)
    choose, press = keys_of(page, "bid", "pick up"), page.keyboard.press
    press("?")
    expect(page.get_by_role("dialog")).to_contain_text("take back")
    press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    is_over(page)
    changed(page, choose(page))
    changed(page, lambda: press("u"))
    expect(page.locator("#choices")).to_contain_text("bid 18")
    play(page, choose)
    expect(page.locator(".result h2")).to_contain_text("forehand")
    require_recorded(page, address)
    expect(page.locator("#said")).to_contain_text("forehand")
    changed(page, lambda: press("n"))
    expect(page.locator(".hand.bottom .marks")).to_contain_text("rearhand")


def test_a_whole_game_of_klaverjas_by_keys(new_page: NewPage, address: str) -> None:
    page = new_page()
    at_table(page, address, game="klaverjas", seed=2, rules="choice=free")
    choose, press = keys_of(page, "spades"), page.keyboard.press
    is_over(page)
    changed(page, choose(page))
    changed(page, lambda: press("u"))
    assert play(page, choose) >= 8
    assert page.locator("#history li").count() > 32
    expect(page.locator(".result")).to_contain_text("south-north")
    require_recorded(page, address)
    expect(page.locator("#said")).to_contain_text("south-north")
    changed(page, lambda: press("n"))
    expect(page.locator(".hand.bottom .marks")).to_contain_text("east")
    play(page, choose)
    require_recorded(page, address)


def test_a_whole_game_of_klaverjas(new_page: NewPage, address: str) -> None:
    page = new_page()
    at_table(page, address, game="klaverjas", seed=2, rules="choice=forced")
    play(page, click)
    assert page.locator("#history li").count() > 32
    expect(page.locator(".result")).to_contain_text("south-north")
    require_recorded(page, address)
    south, west, north, east = map(int, scored(page)[0][1:-1])
    assert south == north == -west == -east


def test_a_whole_game_on_a_phone_in_german(new_page: NewPage, address: str) -> None:
    page = new_page(**PHONE, locale="de-DE", color_scheme="dark")
    page.add_init_script("localStorage.setItem('deck', 'german')")
    at_table(page, address, game="skat", seed=SOLOIST)
    expect(page.locator("#status")).to_have_text("Du bist dran.")

    def tap(page: Page) -> Callable[[], None]:
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
        for each in page.locator(TARGETS).all():
            box = each.bounding_box()
            assert box
            assert min(box["width"], box["height"]) >= 44
        return wanted(page, "Gebot", "aufnehmen", "Herz", "nichts").tap

    assert play(page, tap) > 10
    expect(page.locator("#tools .main")).to_have_text("Nächstes Spiel")
    expect(page.locator("#history")).to_contain_text("du: Gebot 18")
    expect(page.locator(".result")).to_contain_text("Turnierpunkte")
    assert page.locator("img[src*='/faces/german-de-four/']").count() > 10
    assert page.evaluate("(each => each.scrollWidth - each.clientWidth)(score.parentElement)") == 0


def test_a_long_name_fits_on_a_phone(new_page: NewPage, address: str) -> None:
    page = new_page(**PHONE)
    long = {"kind": "agent", "spec": "pimc(worlds=2,bidder=rule)"}
    at_table(page, address, game="skat", seed=SOLOIST, seats=[ANN, long, long])
    expect(page.locator(".hand.right .name")).to_have_text(str(long["spec"]))
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]


@pytest.mark.parametrize("game", ["skat", "klaverjas"])
@pytest.mark.parametrize("size", [PHONE, {}], ids=["phone", "desk"])
def test_the_result_covers_no_name(new_page: NewPage, address: str, game: str, size: Json) -> None:
    page = new_page(**size, reduced_motion="reduce")
    at_table(page, address, game=game, seed=SOLOIST)
    while not is_over(page) and not page.get_by_role("button", name="Give up").count():
        changed(page, click(page))
    page.get_by_role("button", name="Give up").click()
    changed(page, page.get_by_role("button", name="Really give up?").click)
    result = page.locator(".result").bounding_box()
    assert result
    for plate in page.locator(".plate").all():
        box = plate.bounding_box()
        assert box
        is_beside = box["x"] + box["width"] <= result["x"] or result["x"] + result["width"] <= box["x"]
        is_over_or_under = (
            box["y"] + box["height"] <= result["y"] or result["y"] + result["height"] <= box["y"]
        )
        assert is_beside or is_over_or_under, plate.inner_text()


def test_two_people_and_a_spectator(new_page: NewPage, address: str) -> None:
    ann, bob, looker = new_page(), new_page(), new_page()
    ann.goto(address)
    ann.get_by_label("Seed of the deals").fill("5")
    for seat, name in enumerate(("Ann", "Bob")):
        ann.locator(f"#kind-{seat}").select_option("human")
        ann.locator(f"#name-{seat}").fill(name)
    ann.get_by_role("button", name="Make the table").click()
    expect(ann.locator("#links input")).to_have_count(3)
    links = [field.input_value() for field in ann.locator("#links input").all()]
    for page, link in zip((ann, bob, looker), links, strict=True):
        path, _, token = link.partition("#")
        page.goto(f"{path}?speed=0#{token}")
        expect(page.locator(".felt")).to_be_visible()
    expect(looker.locator(".hand img:not([src$='back.svg'])")).to_have_count(0)
    expect(ann.locator(".hand.left img:not([src$='back.svg'])")).to_have_count(0)
    while not ann.locator(".result").count():
        for page in (ann, bob):
            if page.locator("#choices button, button.playable").count():
                changed(page, click(page))
        ann.wait_for_timeout(10)
    for page in (bob, looker):
        expect(page.locator(".result")).to_be_visible()
        assert scored(page) == scored(ann)
    expect(looker.locator("#tools .main")).to_have_count(0)
    bob.close()
    expect(ann.locator(".hand.left .away")).to_be_visible()


def test_each_trick_is_seen_whole(new_page: NewPage, address: str) -> None:
    page = new_page()
    page.add_init_script("""
        window.seen = [];
        new MutationObserver(() => {
            const trick = document.querySelector(".trick");
            const barred = document.querySelectorAll(".barred").length;
            if (trick) window.seen.push([trick.childElementCount, barred]);
        }).observe(document, { childList: true, subtree: true });
    """)
    made = new_table(page, address, game="klaverjas", seed=2, seats=[ANN, RULE, RULE, RULE])
    page.goto(f"{address}/t/{made['table']}?speed=5#{made['seats']['0']}")
    play(page, click)
    expect(page.locator(".result")).to_be_visible()
    seen = page.evaluate("window.seen")
    assert not [barred for size, barred in seen if size == 4 and barred]
    sizes = [size for size, _ in seen]
    changes = [size for size, before in zip(sizes, [None, *sizes], strict=False) if size != before]
    assert changes.count(4) == 8
    assert changes.count(3) == 8


def test_all_that_happens_is_said(new_page: NewPage, address: str) -> None:
    page = new_page(reduced_motion="reduce")
    at_table(page, address, game="klaverjas", seed=2)
    is_over(page)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#said")).to_contain_text("rule: ")
    changed(page, click(page))
    is_over(page)
    said = page.locator("#said").inner_text()
    happened = page.locator("#history li").all_inner_texts()
    assert len(happened) > 4
    for words in happened[-4:]:
        assert words in said


def test_what_a_table_allows(new_page: NewPage, address: str) -> None:
    page = new_page()
    made = new_table(page, address, game="klaverjas", seed=4, seats=[ANN, RULE, RULE, RULE])
    sit(page, address, made, host=True)
    is_over(page)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".chosen-hint")).to_have_count(1)
    expect(page.locator("#status")).to_contain_text("rule: ")
    before = page.locator("#history").inner_text()
    changed(page, page.locator("button.playable").first.click)
    is_over(page)
    page.get_by_role("button", name="Take back").click()
    expect(page.locator("#history")).to_have_text(before, use_inner_text=True)
    page.get_by_role("button", name="The rest is mine").click()
    expect(page.get_by_role("alert")).to_have_text("the rest is not sure to be yours")
    row = page.locator("#host .row").nth(1)
    row.get_by_role("button", name="to a person").click()
    # The own seat, the spectators, and the seat that was given.
    expect(page.locator("#links input")).to_have_count(3)
    other = new_page()
    other.goto(page.locator("#links input").last.input_value())
    expect(other.locator(".hand.bottom .marks")).to_contain_text("west")
    row.get_by_role("textbox").fill("nobody")
    row.get_by_role("button", name="to this agent").click()
    expect(page.get_by_role("alert")).to_contain_text("nobody")
    give_up = page.get_by_role("button", name="Give up")
    give_up.click()
    changed(page, page.get_by_role("button", name="Really give up?").click)
    expect(page.locator(".result")).to_be_visible()


def test_a_server_that_comes_back(new_page: NewPage, tmp_path: Path) -> None:
    page = new_page()
    with serving(make_app(tmp_path)) as address:
        at_table(page, address, game="skat", seed=SOLOIST)
        is_over(page)
        changed(page, click(page))
        is_over(page)
        history, cards = page.locator("#history").inner_text(), page.locator(".hand.bottom").inner_html()
    expect(page.get_by_role("alert")).to_contain_text("connection is lost")
    with serving(make_app(tmp_path), urlsplit(address).port or 0):
        expect(page.get_by_role("alert")).to_be_hidden()
        assert page.locator("#history").inner_text() == history
        assert page.locator(".hand.bottom").inner_html() == cards
        play(page, click)


def test_a_table_that_is_not_there_and_a_browser_that_cannot(new_page: NewPage, address: str) -> None:
    page = new_page()
    page.goto(f"{address}/t/nowhere")
    expect(page.get_by_role("alert")).to_have_text("there is no such table")
    page.add_init_script("delete window.WebSocket")
    page.goto(f"{address}/t/nowhere?again")
    expect(page.get_by_role("alert")).to_contain_text("no WebSocket")


def test_the_pages_are_small_and_come_from_the_server(new_page: NewPage, address: str) -> None:
    for path in ("/", "table"):
        page = new_page(locale="nl-NL")
        sizes: dict[str, int] = {}

        def note(response: Response, sizes: dict[str, int] = sizes) -> None:
            sizes[response.url] = len(response.body())

        page.on("response", note)
        if path == "/":
            page.goto(address)
            expect(page.locator("#seats .row")).to_have_count(3)
        else:
            at_table(page, address, game="skat", seed=1)
        assert all(url.startswith(address) for url in sizes)
        assert sum(size for url, size in sizes.items() if "/faces/" not in url) < 100_000


def dealt(page: Page) -> list[str | None]:
    """The own cards."""
    return [card.get_attribute("data-card") for card in page.locator(".hand.bottom .card").all()]


def test_a_finished_deal_leads_on(new_page: NewPage, address: str) -> None:
    """To its review, to the same deal again, and to the same deal for a friend, who sees no more than the own hand."""
    page = new_page()
    at_table(page, address, game="skat", seed=SOLOIST)
    hand = dealt(page)
    play(page, click)
    page.get_by_role("button", name="The same deal for a friend").click()
    link = page.get_by_label("The same deal for a friend").first.input_value()
    friend = new_page()
    friend.goto(link.replace("#", "?speed=0#"))
    expect(friend.locator(".felt")).to_be_visible()
    assert dealt(friend) == hand
    expect(friend.locator("#host button")).to_have_count(0)
    page.get_by_role("button", name="Review this deal").click()
    expect(page.locator("#review")).to_be_visible()
    expect(page.locator("#title")).to_contain_text("hearts")
    page.go_back()
    page.get_by_role("button", name="Play it again").click()
    page.wait_for_url(lambda url: url != link and "/t/" in url)
    expect(page.locator(".felt")).to_be_visible()
    expect(page.locator("#score tbody tr")).to_have_count(1)
    assert dealt(page) == hand
    expect(page.locator("#host button").first).to_be_visible()


def test_two_people_play_a_deal_again(new_page: NewPage, address: str) -> None:
    """Whoever wants it has the link of the other, too."""
    ann, bob = new_page(), new_page()
    made = new_table(ann, address, game="klaverjas", seats=[ANN, BOB, RULE, RULE], seed=1)
    sit(ann, address, made, 0)
    hand = dealt(ann)
    ann.get_by_role("button", name="Give up").click()
    ann.get_by_role("button", name="Really give up?").click()
    ann.get_by_role("button", name="Play it again").click()
    links = ann.get_by_label("Play it again")
    expect(links).to_have_count(2)
    bob.goto(links.last.input_value())
    expect(bob.locator(".hand.bottom .name")).to_have_text("Bob")
    expect(bob.locator("#host button")).to_have_count(0)
    ann.get_by_role("link", name="Sit down").click()
    expect(ann.locator(".hand.bottom .name")).to_have_text("Ann")
    expect(ann.locator("#score tbody tr")).to_have_count(1)
    assert dealt(ann) == hand
    expect(ann.locator("#host button").first).to_be_visible()


def test_the_lobby_knows_my_tables(new_page: NewPage, address: str) -> None:
    """A table that was left is found again, with its seat and its host."""
    page = new_page()
    made = new_table(page, address, game="klaverjas", seats=[ANN, *[RULE] * 3], seed=1)
    sit(page, address, made, host=True)
    page.goto(address)
    tables = page.locator("#tables li")
    expect(tables).to_have_count(1)
    expect(tables).to_contain_text("Klaverjas · deals that have ended: 0 · host")
    tables.get_by_role("link").click()
    expect(page.locator(".plate.acts, .hand.bottom")).not_to_have_count(0)
    expect(page.locator("#host button").first).to_be_visible()
    page.evaluate("localStorage.setItem('tables', JSON.stringify([{table: 'gone'}]))")
    page.goto(address)
    expect(page.locator("#known")).to_be_hidden()


def test_people_agree_or_refuse(new_page: NewPage, address: str) -> None:
    ann, bob = new_page(), new_page()
    made = new_table(ann, address, game="klaverjas", seats=[ANN, BOB, RULE, RULE], seed=1)
    sit(ann, address, made, 0)
    sit(bob, address, made, 1)
    first, second = (ann, bob) if ann.locator(TARGETS).count() else (bob, ann)
    first.locator(TARGETS).first.wait_for()
    for answer, left in (("Refuse", 1), ("Agree", 0)):
        if left:
            changed(first, first.locator(TARGETS).first.click)
            own = first.locator("#history li").filter(has_text="you:")
            expect(own).to_have_count(1)
        first.locator('[data-do="undo"]').click()
        expect(first.locator("#status")).to_contain_text("Waiting for the others")
        expect(second.locator("#status")).to_contain_text("asks: Take back")
        second.get_by_role("button", name=answer).click()
        expect(own).to_have_count(left)
        if left:
            expect(first.get_by_role("alert")).to_have_text("the others do not agree")


def test_a_hint_stays_while_others_come_and_go(new_page: NewPage, address: str) -> None:
    ann, bob = new_page(), new_page()
    made = new_table(ann, address, game="klaverjas", seats=[ANN, BOB, RULE, RULE], seed=1)
    sit(ann, address, made, 0)
    ann.get_by_role("button", name="Hint").click()
    expect(ann.locator(".chosen-hint")).to_have_count(1)
    ann.get_by_role("button", name="The rest is mine").click()
    expect(ann.get_by_role("alert")).to_have_text("the rest is not sure to be yours")
    expect(ann.locator(".away")).to_have_count(1)
    sit(bob, address, made, 1)
    expect(ann.locator(".away")).to_have_count(0)
    expect(ann.locator(".chosen-hint")).to_have_count(1)
    expect(ann.locator("#status")).to_contain_text("rule: ")
    expect(ann.get_by_role("alert")).to_have_text("the rest is not sure to be yours")
    changed(ann, click(ann))
    expect(ann.locator(".chosen-hint")).to_have_count(0)
    expect(ann.get_by_role("alert")).to_have_count(0)


def test_a_key_that_was_begun_is_forgotten_after_the_turn(new_page: NewPage, address: str) -> None:
    page = new_page()
    at_table(page, address, game="klaverjas", seed=1)
    is_over(page)
    card = page.locator("button.playable").first.get_attribute("data-card")
    page.keyboard.press("dhsc"[int(card or 0) // 8])
    expect(page.locator("#status")).to_have_text(re.compile("^[DHSC]$"))
    changed(page, page.locator("button.playable").last.click)
    is_over(page)
    changed(page, lambda: page.keyboard.press("u"))
    expect(page.locator("#history li").filter(has_text="you:")).to_have_count(0)


def test_thoughts_come_with_the_cards(new_page: NewPage, address: str) -> None:
    """At the speed of people: at the own turn those of whoever played last are there, and the own go with the card."""
    page = new_page()
    at_table(page, address, "", game="klaverjas", seed=1, thoughts=True, open=True)
    is_over(page)
    before = page.locator("#history li").count()
    page.get_by_role("button", name="Think").click()
    expect(page.locator("#thoughts .decision")).to_be_visible()
    changed(page, page.locator("button.playable").first.click)
    expect(page.locator("#history li")).to_have_count(before + 2)
    is_over(page)
    last = page.locator("#history li").last.inner_text()
    assert not last.startswith("you:")
    expect(page.locator("#thoughts .decision strong")).to_have_text(last.partition(": ")[2])


def test_cards_are_played_while_thoughts_wait(new_page: NewPage, address: str) -> None:
    """At the speed of people the own turn is drawn before the pause of the last card is over."""
    page = new_page()
    at_table(page, address, "", game="klaverjas", seed=1, thoughts=True)
    is_over(page)
    changed(page, page.locator("button.playable").first.click)
    expect(page).to_have_title(re.compile("^●"))
    page.get_by_role("button", name="Think").click()
    page.wait_for_timeout(60)
    changed(page, page.locator("button.playable").first.click)


def test_thoughts_go_with_what_is_taken_back(new_page: NewPage, address: str) -> None:
    page = new_page()
    at_table(page, address, game="klaverjas", seed=1, thoughts=True)
    for _ in range(2):
        is_over(page)
        changed(page, page.locator("button.playable").first.click)
    is_over(page)
    page.get_by_role("button", name="Think").click()
    expect(page.locator("#thoughts .decision")).to_be_visible()
    changed(page, page.get_by_role("button", name="Take back").click)
    expect(page.locator("#thoughts .decision")).to_have_count(0)


def test_people_at_a_table_have_names_of_their_own(new_page: NewPage, address: str) -> None:
    page = new_page()
    at_table(page, address, game="klaverjas", seed=1)
    for part in (".hand", ".hand .cards"):
        names = [each.get_attribute("aria-label") for each in page.locator(part).all()]
        assert len({*names}) == 4, names


@pytest.mark.parametrize("speed", ["?speed=0", ""])
def test_who_thinks_too_long_is_helped(new_page: NewPage, address: str, speed: str) -> None:
    page = new_page()
    at_table(page, address, speed, game="klaverjas", seed=1, clock=5)
    expect(page.locator("#clock")).to_have_text(re.compile("0:0[0-5]"))
    expect(page.locator("#problem")).to_contain_text("Your time was over")
    expect(page.locator("#history li").filter(has_text="you:")).to_have_count(1)


def test_the_clock_runs_while_cards_are_shown(new_page: NewPage, address: str) -> None:
    """The server's runs since it sent the scene; in the browser time stands still until all scenes are there."""
    page = new_page()
    scenes: list[Json] = []

    def note(text: str | bytes) -> None:
        scenes.append(json.loads(text))

    page.on("websocket", lambda socket: socket.on("framereceived", note))
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    at_table(page, address, "", game="klaverjas", seed=1, clock=60)
    page.locator("button.playable").first.click()
    while not scenes[-1]["legal"] or len(scenes[-1]["history"]) < 2:
        page.wait_for_timeout(20)
    seconds = 0.0
    while not page.locator("button.playable").count():
        page.clock.run_for(500)
        seconds += 0.5
    page.clock.run_for(500)
    assert seconds > 2
    minutes, _, left = page.locator("#clock").inner_text().partition(":")
    assert 60 * int(minutes) + int(left) <= 60 - seconds
    before = page.locator("#clock").inner_text()
    page.locator("#setting-deck").select_option("german")
    page.clock.run_for(250)
    assert page.locator("#clock").inner_text() <= before


@pytest.mark.parametrize(
    ("game", "seed", "rules", "locale"),
    [
        *[("skat", SOLOIST, "", locale) for locale in ("en-US", "de-DE", "nl-NL")],
        ("klaverjas", 1, "", "en-US"),
        *[("klaverjas", 2, "choice=free", locale) for locale in ("en-US", "de-DE", "nl-NL")],
    ],
)
def test_a_phone_that_lies_shows_all_at_once(
    new_page: NewPage, address: str, game: str, seed: int, rules: str, locale: str
) -> None:
    page = new_page(viewport={"width": 740, "height": 360}, has_touch=True, locale=locale)
    at_table(page, address, game=game, seed=seed, rules=rules)

    def look(*names: str) -> None:
        for name in names:
            box = page.locator(name).bounding_box()
            assert box is not None
            assert box["x"] >= 0, (name, box)
            assert box["y"] + box["height"] <= 360 + 1, (name, box)
        assert page.evaluate("document.documentElement.scrollWidth") <= 740

    def see(page: Page) -> Callable[[], None]:
        look(".hand.bottom .card >> nth=0", "#tools", "#choices")
        german, dutch = ("Gebot", "aufnehmen", "Herz", "nichts"), ("bod", "opnemen", "harten", "niets")
        return wanted(page, "bid", "pick up", "hearts", "nothing", *german, *dutch).click

    play(page, see)
    page.evaluate("localStorage.setItem('language', 'de')")  # whose words are longer
    page.reload()
    expect(page.locator("#tools .main")).to_have_text("Nächstes Spiel")
    look(".hand.bottom .card >> nth=0", ".hand.left .card >> nth=-1", "#tools .main")


def test_cards_grow_with_the_screen(new_page: NewPage, address: str) -> None:
    widths = []
    for width, height in ((1280, 800), (1920, 1080)):
        page = new_page(viewport={"width": width, "height": height})
        at_table(page, address, game="skat", seed=SOLOIST)
        page.locator(TARGETS).first.wait_for()
        box = page.locator(".hand.bottom .card").first.bounding_box()
        tools = page.locator("#choices").bounding_box()
        assert box is not None
        assert tools is not None
        widths.append(box["width"])
        assert tools["y"] + tools["height"] <= height
    assert widths[1] > 120
    assert widths[1] > widths[0]


def test_cards_move_and_sound(new_page: NewPage, address: str) -> None:
    """The own card slides from the hand; sounds are made once they are chosen."""
    page = new_page()
    page.add_init_script("""
        localStorage.setItem("sound", "on");
        window.moved = 0; window.sounds = 0;
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (...given) { window.moved += 1; return animate.apply(this, given); };
        const start = AudioScheduledSourceNode.prototype.start;
        AudioScheduledSourceNode.prototype.start = function (...given) { window.sounds += 1; return start.apply(this, given); };
    """)
    made = new_table(page, address, game="klaverjas", seats=[ANN, *[RULE] * 3], seed=1)
    page.goto(f"{address}/t/{made['table']}?speed=40#{made['seats']['0']}")
    page.locator("#table button.playable").first.click()
    page.wait_for_function("() => window.moved > 0 && window.sounds > 0")
