"""The scripts of pages, run without a browser: each in a page that has no more than the script asks of it."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import skat_env.table

STATIC = Path(skat_env.table.__file__).parent / "static"
PAGE = """
const elements = {};
class Element {
  set id(id) { elements[id] = this; }
  constructor(name) { Object.assign(this, { name, value: "", children: [], listeners: {} }); }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  setAttribute(name, value) { this[name] = value; }
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
  createElement: (name) => new Element(name),
  createElementNS: (_, name) => new Element(name),
  createTreeWalker: () => ({ nextNode: () => false }),
  getElementById: (id) => (elements[id] ??= new Element(id)),
  querySelectorAll: () => [],
  title: "",
};
globalThis.NodeFilter = {};
globalThis.Option = Element;
globalThis.location = {};
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
