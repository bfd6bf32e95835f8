"""The scripts of pages, run without a browser: each in a page that has no more than the script asks of it."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs the extra 'table'")

import skat_env.table
from skat_env.records import GameRecord
from skat_env.skat import GAME as SKAT
from skat_env.table.reviews import Reviews
from tests.conftest import random_games

STATIC = Path(skat_env.table.__file__).parent / "static"
PAGE = """
const elements = {};
class Element {
  set id(id) { elements[id] = this; }
  constructor(name) { Object.assign(this, { name, value: "", children: [], listeners: {}, dataset: {} }); }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  setAttribute(name, value) { this[name] = value; }
  removeAttribute(name) { delete this[name]; }
  set textContent(text) { this.children = [text]; }
  get textContent() { return this.children.map((each) => each?.textContent ?? each).join(""); }
  get classList() { return { add() {}, toggle() {} }; }
  get style() { return { setProperty() {} }; }
  contains() { return false; }
  closest() { return new Element("around"); }
  addEventListener(name, listener) { this.listeners[name] = listener; }
  querySelector() { return new Element("found"); }
  querySelectorAll() { return []; }
  get parentElement() { return new Element("parent"); }
  scrollIntoView() {}
  focus() {}
}
globalThis.document = {
  documentElement: Object.assign(new Element("html"), { clientWidth: 800, dataset: {} }),
  body: new Element("body"),
  addEventListener() {},
  createElement: (name) => new Element(name),
  createElementNS: (_, name) => new Element(name),
  createTreeWalker: () => ({ nextNode: () => false }),
  getElementById: (id) => (elements[id] ??= new Element(id)),
  querySelectorAll: () => [],
  title: "",
};
globalThis.NodeFilter = {};
globalThis.Option = Element;
globalThis.location = { hash: "" };
globalThis.history = { replaceState() {} };
globalThis.window = new Element("window");
globalThis.held = [];
/** An answer of the server that comes when it is let go. */
globalThis.holding = (address, options) => new Promise((resolve) => {
  const answer = (found, ok = true) => resolve({ ok, status: ok ? 200 : 400, json: async () => found });
  const cut = () => resolve({ ok: true, status: 200, json: () => Promise.reject(new Error()) });
  held.push({ address, question: options.body ? JSON.parse(options.body) : null, answer, cut });
});
/** Lets everything happen that waits for nothing else. */
globalThis.settled = () => new Promise(setImmediate);
globalThis.localStorage = { getItem: () => null, setItem() {} };
Object.defineProperty(globalThis, "navigator", { value: { language: "en" } });
"""

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="no Node.js")


def told(tmp_path: Path, script: str) -> Any:
    """What a script logs, as JSON; it runs beside copies of the scripts of pages."""
    for each in STATIC.glob("*.js"):
        shutil.copy(each, tmp_path)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    (tmp_path / "test.js").write_text(PAGE + script)
    done = subprocess.run(
        ["node", "--max-old-space-size=64", tmp_path / "test.js"],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "values",
    [
        (1, 1.0000000000000002),
        (-48.00000000000001, -48),
        (61, 61.00000000000001),
        (0.1, 0.10000000000000002),
        (0, 5e-324),
        (0, 0),
        (3e20, 3.0000000000000001e20),
        (1, 1.000001),
        (-1, 1),
        (-120, 61.5),
    ],
)
def test_charts_have_a_few_marks_whatever_the_values(tmp_path: Path, values: tuple[float, float]) -> None:
    points = [[number, value, None, None] for number, value in enumerate(values)]
    script = f"""
    const {{ lineChart }} = await import("./chart.js");
    const chart = lineChart({json.dumps(points)}, {{}});
    const marks = chart.children.filter((each) => each.class === "tick end");
    const dots = chart.children.filter((each) => each.name === "circle").map((each) => each.cy);
    console.log(JSON.stringify([marks.length, dots]));
    """
    marks, dots = told(tmp_path, script)
    assert marks < 14
    assert all(0 <= each <= 220 for each in dots)


@pytest.mark.parametrize("seed", ["0", "007", "9007199254740993", "9223372036854775807", "1" + 30 * "0"])
def test_the_lobby_asks_for_the_whole_seed(tmp_path: Path, seed: str) -> None:
    script = f"""
    const game = {{ rules: [], agents: [], seats: ["one", "two"] }};
    let body;
    globalThis.fetch = async (address, given) => {{
      if (given) body = given.body;
      return {{ json: async () => (given ? {{ error: "enough" }} : {{ games: {{ skat: game }} }}) }};
    }};
    document.getElementById("game").value = "skat";
    document.getElementById("seed").value = "{seed}";
    await import("./lobby.js");
    await document.getElementById("form").listeners.submit({{ preventDefault() {{}} }});
    console.log(JSON.stringify(body));
    """
    body = told(tmp_path, script)
    assert json.loads(body)["seed"] == int(seed)


def a_game(*, passed: bool) -> str:
    """A record of a game: one that everybody passed, or one in which all cards were played."""
    for state in random_games(SKAT, 30, 3):
        if passed:
            while state.history():
                state.undo()
            while not state.is_over:
                state.apply(state.legal_actions()[0])
        if passed or len(state.plays()) == 30:
            return GameRecord.of("skat", state, SKAT.seats).text()
    raise AssertionError("there is no such game")


REVIEW = """
globalThis.fetch = holding;
const page = (id) => document.getElementById(id);
const open = (text) => {
  page("text").value = text;
  page("form").listeners.submit({ preventDefault() {} });
};
const answered = async (...told) => { held.shift().answer(...told); await settled(); };
await import("./review.js");
"""


def test_nothing_of_the_game_before_stays_in_a_review(tmp_path: Path) -> None:
    played, passed, reviews = a_game(passed=False), a_game(passed=True), Reviews()
    with pytest.raises(ValueError, match="no cardplay") as refused:
        reviews.costs({"text": passed})
    both = "\n".join((played, passed))
    view = GameRecord.parse(passed).state.view(0).text()
    script = f"""{REVIEW}
    const seen = () => ["title", "verdict", "course", "tricks"].map((id) => page(id).textContent);
    const told = [];
    open("two games");
    await answered({json.dumps(reviews.show({"text": both}))});
    await answered({json.dumps(reviews.costs({"text": played}))});
    told.push([...seen(), page("games").hidden]);
    open("one game");
    await answered({json.dumps(reviews.show({"text": passed}))});
    told.push([...seen(), page("games").hidden]);
    await answered({json.dumps({"error": str(refused.value)})}, false);
    told.push([...seen(), page("games").hidden]);
    open("a view");
    await answered({json.dumps(reviews.show({"text": view}))});
    told.push([...seen(), page("games").hidden]);
    console.log(JSON.stringify(told));
    """
    first, second, third, last = told(tmp_path, script)
    assert all(first[:4])
    assert first[4] is False
    assert second == ["everybody passed", "Perfect play is being worked out …", "", "", True]
    assert third == ["everybody passed", str(refused.value), "", "", True]
    assert last == ["Review a game", "", "", "", True]


def test_perfect_play_is_told_after_a_change_of_the_view(tmp_path: Path) -> None:
    played, reviews = a_game(passed=False), Reviews()
    script = f"""{REVIEW}
    open("a game");
    await answered({json.dumps(reviews.show({"text": played}))});
    const [costs] = held.splice(0);
    page("seat").value = "0";
    page("seat").listeners.change();
    await answered({json.dumps(reviews.show({"text": played, "seat": 0}))});
    costs.answer({json.dumps(reviews.costs({"text": played}))});
    await settled();
    console.log(JSON.stringify([costs.address, page("verdict").textContent, page("tricks").textContent, held]));
    """
    address, verdict, tricks, held = told(tmp_path, script)
    assert address == "/api/review/costs"
    assert "perfect play from here" in verdict
    assert tricks
    assert held == []


@pytest.mark.parametrize("fails", [False, True])
def test_a_late_answer_is_not_shown_in_place_of_a_later_game(tmp_path: Path, fails: bool) -> None:
    played, passed, reviews = a_game(passed=False), a_game(passed=True), Reviews()
    slow = {"error": "no game"} if fails else reviews.show({"text": played})
    script = f"""{REVIEW}
    open("slow");
    const [slow] = held.splice(0);
    open("fast");
    await answered({json.dumps(reviews.show({"text": passed}))});
    slow.answer({json.dumps(slow)}, {json.dumps(not fails)});
    await settled();
    console.log(JSON.stringify([page("title").textContent, page("problem").textContent]));
    """
    assert told(tmp_path, script) == ["everybody passed", ""]


def test_what_is_stopped_says_nothing_more(tmp_path: Path) -> None:
    """By a change of the view, by another question, or by what is cut off."""
    played, reviews = a_game(passed=False), Reviews()
    script = f"""{REVIEW}
    globalThis.fetch = (address, options) => new Promise((resolve, reject) => {{
      options.signal?.addEventListener("abort", () => reject(Object.assign(new Error(), {{ name: "AbortError" }})));
      holding(address, options).then(resolve);
    }});
    const seen = () => ["judging", "asking"].map((id) => page(id).textContent);
    const told = [];
    open("a game");
    await answered({json.dumps(reviews.show({"text": played}))});
    held.length = 0;
    page("judge").listeners.click();
    told.push(seen());
    page("ask").listeners.submit({{ preventDefault() {{}} }});
    told.push(seen());
    held.length = 0;
    page("seat").listeners.change();
    await answered({json.dumps(reviews.show({"text": played, "seat": 0}))});
    told.push(seen());
    page("judge").listeners.click();
    held.pop().cut();
    await settled();
    told.push(seen());
    console.log(JSON.stringify(told));
    """
    judging, asking, changed, cut = told(tmp_path, script)
    assert judging[0].startswith("Thinking … 1 / ")
    assert judging[1] == ""
    assert asking == ["", "Thinking …"]
    assert changed == ["", ""]
    assert cut == ["The answer of the server was cut off.", ""]


@pytest.mark.parametrize("fails", [False, True])
def test_a_late_answer_is_not_shown_in_place_of_a_later_page(tmp_path: Path, fails: bool) -> None:
    late = "{ error: 'no folder' }, false" if fails else "folder('a slow one')"
    script = f"""
    globalThis.fetch = holding;
    const page = (id) => document.getElementById(id);
    location.hash = "#path=slow";
    await import("./shelf.js");
    location.hash = "#path=fast";
    window.listeners.hashchange();
    const folder = (name) => ({{ entries: [{{ name, kind: "result", path: name, note: "" }}] }});
    const [slow, fast] = held;
    fast.answer(folder("a fast one"));
    await settled();
    slow.answer({late});
    await settled();
    console.log(JSON.stringify(["title", "content", "problem"].map((id) => page(id).textContent)));
    """
    title, content, problem = told(tmp_path, script)
    assert title == "fast"
    assert "a fast one" in content
    assert "a slow one" not in content
    assert problem == ""
