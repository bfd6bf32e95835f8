"""The code on the pages runs, and the commands on them exist with their options.

A Python block whose first line is `# not run: REASON` is compiled only. The blocks of a page share their names, in
order. Commands are taken as far as their arguments are parsed, not run.
"""

import argparse
import os
import re
import runpy
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from string import Template
from typing import Any, NoReturn

import pettingzoo
import pytest
import tyro

from skat_env import registry
from skat_env.call_text import parse_labelled
from skat_env.cli import main
from skat_env.registry import make_agent, make_belief
from skat_env.tools.extras import EXTRAS
from tests.conftest import ROOT
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
AGENT_OPTIONS = ("agents", "against", "bidder", "mark", "hint")
MADE_BY_THE_READER = re.compile(r"\b(runs/|results/bench/|DIR\b)")
"""In the text of an agent: what a command above it makes."""


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


def commands(text: str) -> Iterator[list[str]]:
    """The words of every command in the shell blocks of a page; assignments above a command are filled in."""
    for block in blocks(text, "sh"):
        values: dict[str, str] = {}
        for line in block.code.replace("\\\n", " ").splitlines():
            words = shlex.split(line, comments=True)
            if len(words) == 1 and re.fullmatch(r"[A-Z]+=.*", words[0], flags=re.DOTALL):
                name, _, value = words[0].partition("=")
                values[name] = value
                continue
            if words:
                yield [Template(word).substitute(values) for word in words]


def named_commands(text: str) -> set[str]:
    """The subcommands of `skat-env` that prose and tables name."""
    prose = "\n".join(line.text for line in lines(text) if line.language is None)
    return set(re.findall(r"`skat-env ([a-z]+)", prose))


class Parsed(Exception):
    """The arguments of a command were accepted; `args[0]` is what they were parsed into."""


def stop_when_parsed(parse: Callable[..., Any]) -> Callable[..., NoReturn]:
    """Ends the program once its arguments are parsed."""

    def parse_and_stop(*args: Any, **options: Any) -> NoReturn:
        raise Parsed(parse(*args, **options))

    return parse_and_stop


def parse_command(words: list[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a command's arguments are parsed into; None for commands that take none.

    Raises:
        SystemExit: if the command does not accept its arguments.
        AssertionError, ImportError, OSError: if there is no such command.
    """
    program, *rest = words
    if program == "make":
        targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
        assert set(rest) <= set(targets)
        return None
    if program == "pip":
        assert rest[0] == "install"
        return None
    if program == "ray":
        assert rest[0] in ("start", "job")
        return None
    if program == "docker":
        assert rest[0] in ("build", "run")
        assert "-f" not in rest or (ROOT / rest[rest.index("-f") + 1]).exists()
        return None
    if program == "python" and rest[0] == "-c":
        exec(compile(rest[1], "python -c", "exec"), {})
        return None
    for word in rest:
        if word.startswith(("configs/", "skat_env/")):
            assert (ROOT / word).exists(), word
    with monkeypatch.context() as patched:
        patched.setattr(tyro, "cli", stop_when_parsed(tyro.cli))
        parse_args = stop_when_parsed(argparse.ArgumentParser.parse_args)
        patched.setattr(argparse.ArgumentParser, "parse_args", parse_args)
        try:
            if program == "skat-env":
                main(rest)
            else:
                assert program == "python"
                run_python(rest, patched)
        except Parsed as parsed:
            return parsed.args[0]
    raise AssertionError("there is no such command, or it takes no arguments")


def run_python(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs a script, or after -m a module, as `python` would."""
    monkeypatch.setattr(sys, "argv", words)
    if words[0] == "-m":
        monkeypatch.setattr(sys, "argv", words[1:])
        runpy.run_module(words[1], run_name="__main__")
    else:
        script = ROOT / words[0]
        monkeypatch.syspath_prepend(script.parent)
        runpy.run_path(str(script), run_name="__main__")


def texts(value: Any) -> list[str]:
    """The texts of an option that takes one, several, or none."""
    return [] if not value else [value] if isinstance(value, str) else list(value)


def make_named(command: Any) -> None:
    """Makes the agents and beliefs that a command names, but for those whose networks the reader trains."""
    for option in AGENT_OPTIONS:
        for text in texts(getattr(command, option, None)):
            if not MADE_BY_THE_READER.search(text):
                make_agent(parse_labelled(text)[1], getattr(command, "game", "skat"))
    for text in texts(getattr(command, "beliefs", None)):
        make_belief(text, command.game)


@pytest.mark.parametrize("page", python_pages())
def test_python_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
