"""The code on the pages runs, and the commands on them exist with their options.

A Python block whose first line is `# not run: REASON` is compiled only. The blocks of a page share their names, in
order. Commands are taken as far as their arguments are parsed, not run.
"""

import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pettingzoo
import pytest

from skat_env import registry
from skat_env.cli import main
from skat_env.tools.extras import EXTRAS
from tests.conftest import ROOT
from tests.helpers.page_commands import commands, make_named, parse_command
from tests.helpers.pages import PAGES, blocks, lines, name_of

NOT_RUN = "# not run: "
MAX_NOT_RUN = 2
"""Blocks that need a library which the tests do not install."""
SLOW = (
    "docs/index.md",
    "docs/learning/own_agent.md",
    "docs/learning/own_belief.md",
    "docs/learning/own_game.md",
    "docs/matches.md",
)
"""Pages whose code plays matches, measures or compiles."""
FIGURES = re.compile(r"^print\(.*\)  # ([+-]\d.*)$", re.MULTILINE)
"""Figures that stand as a comment beside what prints them."""


def python_pages() -> list[Any]:
    """The pages with Python code, the slow ones marked."""
    found = [page for page in PAGES if blocks(page.read_text(), "python")]
    return [
        pytest.param(page, id=name_of(page), marks=[pytest.mark.slow] if name_of(page) in SLOW else [])
        for page in found
    ]


def run_page(text: str, name: str) -> None:
    """Runs the Python blocks of a page in one namespace."""
    names: dict[str, Any] = {"__name__": name}
    for block in blocks(text, "python"):
        # Empty lines put the block where it stands in the page, for the traceback.
        code = compile("\n" * (block.number - 1) + block.code, name, "exec")
        if not block.code.startswith(NOT_RUN):
            exec(code, names)


def named_commands(text: str) -> set[str]:
    """The subcommands of `skat-env` that prose and tables name."""
    prose = "\n".join(line.text for line in lines(text) if line.language is None)
    return set(re.findall(r"`skat-env ([a-z]+)", prose))


@pytest.mark.parametrize("page", python_pages())
def test_python_blocks_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    # What a page registers, and where it lets modules be found, ends with it.
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    monkeypatch.setattr(sys, "path", list(sys.path))
    text = page.read_text()
    if "pettingzoo.make(" in text and not hasattr(pettingzoo, "make"):
        pytest.skip("PettingZoo before 1.27")
    try:
        run_page(text, name_of(page))
    except ModuleNotFoundError as error:
        if (extra := EXTRAS.get(str(error.name).partition(".")[0])) is None:
            raise
        pytest.skip(f"needs the extra '{extra}'")
    printed = capsys.readouterr().out.splitlines()
    assert [figures for figures in FIGURES.findall(text) if figures not in printed] == []


def test_few_blocks_are_not_run() -> None:
    skipped = [
        block for page in PAGES for block in blocks(page.read_text(), "python") if NOT_RUN in block.code
    ]
    assert len(skipped) <= MAX_NOT_RUN
    assert all(block.code.startswith(NOT_RUN) for block in skipped)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_are_accepted(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As in an activated environment, whose `python` runs engines.
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    for words in commands(page.read_text()):
        try:
            command = parse_command(words, monkeypatch)
            if words[0] == "skat-env":
                make_named(command)
        except (Exception, SystemExit) as error:
            pytest.fail(f"{shlex.join(words)}: {error!r}")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_named_commands_exist(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    known = set(re.findall(r"^  (\w+)", capsys.readouterr().out, flags=re.MULTILINE))
    assert named_commands(page.read_text()) <= known


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_named_scripts_exist(page: Path) -> None:
    named = re.findall(r"\b(?:benchmarks|examples|configs)/[\w./-]*\w", page.read_text())
    assert [name for name in named if not (ROOT / name).exists() and not list(ROOT.glob(f"{name}*"))] == []


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n", AssertionError),
        ("```python\n# not run: no reason\n1 +\n```\n", SyntaxError),
    ],
)
def test_bad_blocks_are_found(code: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        run_page(code, "page")


def test_blocks_that_are_not_run_are_not_run() -> None:
    run_page("```python\n# not run: it would fail\nraise ValueError\n```\n", "page")


def test_commands_are_found() -> None:
    page = '```sh\nA="x y"\nskat-env match --agents "$A" \\\n    rule   # the rule player\n\nmake test\n```\n`skat-env play`'
    assert list(commands(page)) == [["skat-env", "match", "--agents", "x y", "rule"], ["make", "test"]]
    assert named_commands(page) == {"play"}


@pytest.mark.parametrize(
    "command",
    [
        "skat-env mtch --agents rule random",
        "skat-env match --agents rule random --deal 3",
        "skat-env match --agents rule random --deals many",
        "skat-env match --agents rul random",
        "skat-env match --agents pimc(world=3) random",
        "skat-env train imitation --config configs/none.toml --out runs",
        "python -m benchmarks.speed.none",
        "python -m benchmarks.quality.worlds_curve --none",
        "make none",
    ],
)
def test_bad_commands_are_found(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises((Exception, SystemExit)):
        make_named(parse_command(command.split(), monkeypatch))
