"""Takes the files into the site that pages of docs/ link to outside of it: figures, tables, cards of weights, examples.

A link to a folder has no page to lead to: its text remains. A notebook becomes a page, with the outputs that it has.
"""

import posixpath
import re
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files
from nbconvert import MarkdownExporter

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")
TEXT_OF_A_FOLDER = re.compile(r"\[([^\]]+)\]\(([^)\s#]+)\)")
NOTEBOOK = ".ipynb"
INCLUDED = ("CHANGELOG.md",)
"""Pages of the navigation that no page need link to."""


def source(page: str) -> str:
    """The path in the repository of a page of the site."""
    return page if (ROOT / page).is_file() and not (ROOT / "docs" / page).is_file() else f"docs/{page}"


def place(path: str) -> str:
    """The path in the site of a file of the repository."""
    path = path.removeprefix("docs/") if path.startswith("docs/") else path
    return path.removesuffix(NOTEBOOK) + ".md" if path.endswith(NOTEBOOK) else path


def notebook_pages(files: Files, config: Any) -> list[File]:
    """The pages that notebooks become, and their pictures."""
    made = []
    for file in [file for file in files if file.src_uri.endswith(NOTEBOOK)]:
        files.remove(file)
        name = PurePosixPath(file.src_uri)
        pictures = {"output_files_dir": name.stem, "unique_key": name.stem}
        page, resources = MarkdownExporter().from_filename(str(file.abs_src_path), pictures)
        made.append(File.generated(config, place(file.src_uri), content=page))
        made += [
            File.generated(config, str(name.parent / path), content=content)
            for path, content in resources["outputs"].items()
        ]
    return made


def targets(path: str) -> list[str]:
    """The files of the repository to which a Markdown file links."""
    text = (ROOT / path).read_text()
    found = [
        posixpath.normpath(posixpath.join(posixpath.dirname(path), match[1])) for match in LINK.finditer(text)
    ]
    return [each for each in found if (ROOT / each).is_file()]


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages of notebooks, what is linked to, and what that links to."""
    with_links = [file for file in files if file.is_documentation_page() or file.src_uri.endswith(NOTEBOOK)]
    waiting = [f"docs/{file.src_uri}" for file in with_links] + list(INCLUDED)
    for made in notebook_pages(files, config):
        files.append(made)
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        if path.endswith((".md", NOTEBOOK)):
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
