"""The examples in docstrings do what they say."""

import ast
import doctest
from pathlib import Path

import numpy as np
import pytest

import skat_env
from skat_env import cards
from skat_env.call_text import call_text, parse_call, parse_labelled
from skat_env.match.statistics import estimate
from skat_env.skat.rules import PASS, YES
from tests.conftest import ROOT

PACKAGES = ("skat_env", "solvers", "agents", "table")
NAMES = {
    "np": np,
    **{name: getattr(skat_env, name) for name in skat_env.__all__},
    **{name: getattr(cards, name) for name in dir(cards) if not name.startswith("_")},
    "PASS": PASS,
    "YES": YES,
    "call_text": call_text,
    "parse_call": parse_call,
    "parse_labelled": parse_labelled,
    "estimate": estimate,
}
"""What examples may use without an import: numpy and the names of the package that readers meet first."""


def examples() -> list[tuple[str, str]]:
    """The docstrings with examples, by file and name."""
    found = []
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py*")):
        if path.suffix not in (".py", ".pyi") or "static" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                text = ast.get_docstring(node) or ""
                if ">>> " in text:
                    name = getattr(node, "name", "module")
                    found.append((f"{path.relative_to(ROOT).as_posix()}:{name}", text))
    return sorted(set(found))


EXAMPLES = examples()


def test_the_most_used_names_have_examples() -> None:
    assert len(EXAMPLES) >= 25


@pytest.mark.parametrize(("name", "text"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_examples_do_what_they_say(name: str, text: str) -> None:
    if "/openspiel/" in name:
        pytest.importorskip("pyspiel", reason="needs the extra 'interop'")
    test = doctest.DocTestParser().get_doctest(text, dict(NAMES), name, str(Path(name)), 0)
    told: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert result.failed == 0, "".join(told)
    assert result.attempted
