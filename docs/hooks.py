"""Takes the files into the site that pages of docs/ link to outside of it: figures, tables, cards of weights, examples.

A link to a folder has no page to lead to: its text remains.
"""

import posixpath
import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")
TEXT_OF_A_FOLDER = re.compile(r"\[([^\]]+)\]\(([^)\s#]+)\)")
INCLUDED = ("CHANGELOG.md",)
"""Pages of the navigation that no page need link to."""


def source(page: str) -> str:
    """The path in the repository of a page of the site."""
    return page if (ROOT / page).is_file() and not (ROOT / "docs" / page).is_file() else f"docs/{page}"


def place(path: str) -> str:
    """The path in the site of a file of the repository."""
    return path.removeprefix("docs/") if path.startswith("docs/") else path


def targets(path: str) -> list[str]:
    """The files of the repository to which a Markdown file links."""
    text = (ROOT / path).read_text()
    found = [
        posixpath.normpath(posixpath.join(posixpath.dirname(path), match[1])) for match in LINK.finditer(text)
    ]
    return [each for each in found if (ROOT / each).is_file()]


def on_files(files: Files, config: Any) -> Files:
    """Adds what is linked to, and what that links to."""
    waiting = [f"docs/{file.src_uri}" for file in files if file.is_documentation_page()] + list(INCLUDED)
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        if path.endswith(".md"):
            more = [each for each in targets(path) if each not in seen]
            seen.update(more)
            waiting += more
        if files.get_file_from_path(place(path)) is None:
            files.append(File.generated(config, place(path), abs_src_path=str(ROOT / path)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Leads links that leave docs/ to the files of the site."""
    here = source(page.file.src_uri)

    def resolved(target: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(here), target))

    def text_alone(match: re.Match[str]) -> str:
        return match[1] if (ROOT / resolved(match[2])).is_dir() else match[0]

    def led(match: re.Match[str]) -> str:
        target, anchor = match[1], match[2] or ""
        if "://" in target or not (ROOT / resolved(target)).is_file():
            return match[0]
        start = str(PurePosixPath(page.file.src_uri).parent)
        return f"]({posixpath.relpath(place(resolved(target)), start)}{anchor})"

    return LINK.sub(led, TEXT_OF_A_FOLDER.sub(text_alone, markdown))
