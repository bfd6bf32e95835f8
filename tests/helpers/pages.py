"""The Markdown pages of the project, and what they are made of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT

PAGES = (
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "benchmarks" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
)
FENCE = "```"


@dataclass(frozen=True)
class Line:
    """A line of a page."""

    number: int
    text: str
    language: str | None
    """Of the code block in which it is; None: it is in no code block."""


@dataclass(frozen=True)
class Block:
    """A code block."""

    number: int
    """Of its first line."""
    language: str
    code: str


def lines(text: str) -> Iterator[Line]:
    """The lines of a page without the fences of its code blocks."""
    language: str | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith(FENCE):
            language = None if language is not None else line.removeprefix(FENCE)
        else:
            yield Line(number, line, language)


def prose(text: str) -> Iterator[Line]:
    """The lines that are neither code nor rows of a table."""
    return (line for line in lines(text) if line.language is None and not line.text.startswith("|"))


def blocks(text: str, language: str) -> list[Block]:
    """The code blocks of a language."""
    found = re.finditer(rf"^{FENCE}{language}\n(.*?)^{FENCE}$", text, flags=re.DOTALL | re.MULTILINE)
    return [Block(text.count("\n", 0, match.start(1)) + 1, language, match[1]) for match in found]


def name_of(path: Path) -> str:
    """The path of a page in the project."""
    return path.relative_to(ROOT).as_posix()
