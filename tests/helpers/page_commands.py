"""The commands of pages and of comments: their words, what they are parsed into, and what they name."""

import argparse
import re
import runpy
import shlex
import sys
from collections.abc import Callable, Iterator
from string import Template
from typing import Any, NoReturn

import pytest
import tyro

from skat_env.call_text import parse_labelled
from skat_env.cli import main
from skat_env.registry import make_agent, make_belief
from tests.conftest import ROOT
from tests.helpers.pages import blocks

AGENT_OPTIONS = ("agents", "against", "bidder", "mark", "hint")
MADE_BY_THE_READER = re.compile(r"\b(runs/|results/bench/|DIR\b)")
"""In the text of an agent: what a command above it makes."""


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
