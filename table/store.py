"""The tables of a folder, each a journal: what it is in the first line, then one line for each change."""

import errno
import json
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from skat_env.table.messages import read_new_table
from skat_env.table.session import Event, Session
from skat_env.tools.parsing import parse_json

_NAME: Final = re.compile(r"[A-Za-z0-9_-]{22}")
"""The names of tables and tokens: 128 random bits."""


def new_name() -> str:
    """A name that cannot be guessed."""
    return secrets.token_urlsafe(16)


class Journal:
    """The file of a table; every line is with the operating system before the change is told to anybody."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def begin(self, head: Mapping[str, Any]) -> None:
        """Writes the first line; the file may be read by its owner only, as it holds the tokens.

        Raises:
            OSError: if it cannot be written; there is no file.
        """
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "w") as file:
                file.write(json.dumps(head) + "\n")
        except OSError:
            self.path.unlink()
            raise

    def add(self, event: Event) -> None:
        """Writes a change.

        Raises:
            OSError: if it cannot be written; the file is as it was.
        """
        with self.path.open("ab", buffering=0) as file:
            size, line = file.tell(), json.dumps(event).encode() + b"\n"
            try:
                if file.write(line) != len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            except OSError:
                file.truncate(size)
                raise

    def read(self) -> tuple[dict[str, Any], list[Event]]:
        """The first line and the changes; a last line that was cut off is left out, and removed.

        Raises:
            ValueError: if another line cannot be read.
        """
        text = self.path.read_bytes()
        whole = text.rfind(b"\n") + 1
        if whole < len(text):
            os.truncate(self.path, whole)
        head, *events = (parse_json(line) for line in text[:whole].splitlines())
        return head, events


def new_journal(folder: Path, name: str) -> Journal:
    """The journal of a table in a folder."""
    return Journal(folder / f"{name}.jsonl")


def journals(folder: Path) -> Iterator[tuple[str, Journal]]:
    """The names and journals of all tables of a folder."""
    for path in sorted(folder.glob("*.jsonl")):
        if _NAME.fullmatch(path.stem):
            yield path.stem, Journal(path)


def restored(journal: Journal) -> tuple[dict[str, Any], Session]:
    """The first line of a journal, and the table as it stood after its last change.

    Raises:
        ValueError: if the journal is damaged or cannot be read; names the file.
    """
    try:
        head, events = journal.read()
        session = Session(read_new_table(json.dumps(head["table"])))
        for event in events:
            session.apply(event)
            if "replace" in event:
                head["tokens"][event["replace"]] = event["token"]
    except (ValueError, KeyError, TypeError, IndexError, OSError) as error:
        raise ValueError(f"{journal.path} is no journal of a table: {error}") from None
    return head, session
